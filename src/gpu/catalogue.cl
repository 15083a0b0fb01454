// Sums over the members of groups (src/groups/sums.hpp), in float64 and in the order of the members.
//
// One group of work-items for each block of members. Together they read a tile of members to local
// memory; then each work-item adds one column of the result, member by member, so every sum has the
// order and the bits of the CPU's. A last kernel adds the blocks of each group, in their order.
#define TILE (DIM <= 8 ? 64u : 16u)

// How a column grows with a member.
#define ADD 0u
#define ADD_WEIGHTED 1u
#define LEAST 2u
#define MOST 3u
#define ADD_IF_TYPE 4u
#define COUNT_IF_TYPE 5u
#define ADD_PRODUCT 6u
#define ADD_CROSS_PRODUCT 7u

// The type of an array's numbers.
#define NO_NUMBERS 0u
#define SINGLES 1u
#define DOUBLES 2u

DEVICE double number_at(GLOBAL const double* values, uint kind, ulong at) {
  return kind == SINGLES ? (double)((GLOBAL const float*)values)[at] : values[at];
}

DEVICE double grown(double sum, double value, uint how) {
  if (how == LEAST) return value < sum ? value : sum;
  if (how == MOST) return sum < value ? value : sum;
  return sum + value;
}

// The members of a block: [begin, end) of the order, of a group that begins with the point `first`.
typedef struct {
  uint group, begin, end, first;
} member_range;

DEVICE member_range range_of_block(uint block, GLOBAL const uint* order, GLOBAL const uint* offset,
                                   GLOBAL const uint* block_first, uint groups, uint block_size) {
  uint low = 0, high = groups;  // the last group that begins at this block or before
  while (high - low > 1) {
    uint middle = low + (high - low) / 2;
    if (block_first[middle] <= block)
      low = middle;
    else
      high = middle;
  }
  member_range range;
  uint stop = offset[low + 1];
  range.group = low;
  range.begin = offset[low] + (block - block_first[low]) * block_size;
  range.end = stop - range.begin < block_size ? stop : range.begin + block_size;
  range.first = order[offset[low]];
  return range;
}

// The number of blocks of each group; groups + 1 values, the last one 0.
KERNEL void count_blocks(GLOBAL const uint* offset, uint groups, uint block_size,
                         GLOBAL uint* blocks) {
  ulong group = THREAD();
  if (group > groups) return;
  uint size = group < groups ? offset[group + 1] - offset[group] : 0;
  blocks[group] = size / block_size + (size % block_size > 0);
}

// Points without a group come last.
KERNEL void label_keys(GLOBAL const int* label, uint groups, ulong n, GLOBAL uint* keys) {
  ulong i = THREAD();
  if (i < n) keys[i] = label[i] < 0 ? groups : (uint)label[i];
}

KERNEL void first_members(GLOBAL const uint* order, GLOBAL const uint* offset, uint groups,
                          GLOBAL uint* first) {
  ulong group = THREAD();
  if (group < groups) first[group] = order[offset[group]];
}

// A tile of members: coordinates and velocities by axis, masses, weights.
#define TILE_VALUES (2 * DIM + 4)
#define TILE_V (DIM * TILE)
#define TILE_MASS (2 * DIM * TILE)
#define TILE_WEIGHT (TILE_MASS + TILE)
#define TILE_R2 (TILE_MASS + 2 * TILE)
#define TILE_V2 (TILE_MASS + 3 * TILE)

// The source of members, and the group's first member, about which it is unwrapped.
typedef struct {
  GLOBAL const double *position, *velocity, *mass, *sides;
  uint position_kind, velocity_kind, mass_kind, first, weighs_one;
  double same_mass;
} member_source;

// Member `i` to place `at` of a tile, relative to the first one by minimum image.
DEVICE void load_member(const member_source* from, uint i, LOCAL double* tile, uint at) {
  for (uint axis = 0; axis < DIM; ++axis) {
    double dx = number_at(from->position, from->position_kind, (ulong)i * DIM + axis) -
                number_at(from->position, from->position_kind, (ulong)from->first * DIM + axis);
    double side = from->sides[axis], v = 0;
    if (side > 0) {
      double inverse = 1 / side;
      dx = dx - side * floor(dx * inverse + 0.5);
    }
    if (from->velocity_kind != NO_NUMBERS)
      v = number_at(from->velocity, from->velocity_kind, (ulong)i * DIM + axis);
    tile[axis * TILE + at] = dx;
    tile[TILE_V + axis * TILE + at] = v;
  }
  double m =
      from->mass_kind == NO_NUMBERS ? from->same_mass : number_at(from->mass, from->mass_kind, i);
  tile[TILE_MASS + at] = m;
  tile[TILE_WEIGHT + at] = from->weighs_one ? 1 : m;
}

// First pass: mass, weight, weighted positions and velocities, lower and upper ends, mass and
// number of each type.
KERNEL void add_members(GLOBAL const uint* order, GLOBAL const uint* offset,
                        GLOBAL const uint* block_first, uint groups, uint block_size,
                        GLOBAL const double* position, uint position_kind,
                        GLOBAL const double* velocity, uint velocity_kind,
                        GLOBAL const double* mass, uint mass_kind, double same_mass,
                        GLOBAL const uchar* type, uint types, GLOBAL const double* sides,
                        GLOBAL const uint* weighs_one, GLOBAL double* partial) {
  SHARED double tile[TILE_VALUES * TILE];
  SHARED uint tile_type[TILE];
  uint lane = LANE(), columns = 2 + 4 * DIM + 2 * types;
  member_range range = range_of_block(GROUP(), order, offset, block_first, groups, block_size);
  member_source source = {position,      velocity,      mass,      sides,       position_kind,
                          velocity_kind, mass_kind,     range.first, weighs_one[range.group],
                          same_mass};
  for (uint base = 0; base < columns; base += GROUP_SIZE) {
    uint column = base + lane;
    uint part = column < 2 ? 0 : (column - 2) / DIM, axis = column < 2 ? 0 : (column - 2) % DIM;
    uint how = ADD, from = column == 0 ? TILE_MASS : TILE_WEIGHT, wanted = 0;
    if (column >= 2 + 4 * DIM) {
      wanted = (column - 2 - 4 * DIM) % (types > 0 ? types : 1);
      how = column < 2 + 4 * DIM + types ? ADD_IF_TYPE : COUNT_IF_TYPE;
      from = TILE_MASS;
    } else if (column >= 2) {
      how = part < 2 ? ADD_WEIGHTED : part == 2 ? LEAST : MOST;
      from = (part == 1 ? TILE_V : 0) + axis * TILE;
    }
    double sum = how == LEAST ? REAL_INFINITY : how == MOST ? -REAL_INFINITY : 0;
    for (uint at = range.begin; at < range.end; at += TILE) {
      uint count = range.end - at < TILE ? range.end - at : TILE;
      BARRIER();
      if (lane < count) {
        uint i = order[at + lane];
        load_member(&source, i, tile, lane);
        tile_type[lane] = types > 0 ? type[i] : 0;
      }
      BARRIER();
      if (column >= columns) continue;
      for (uint i = 0; i < count; ++i) {
        double value = tile[from + i];
        if (how == ADD_WEIGHTED) value = tile[TILE_WEIGHT + i] * value;
        if (how >= ADD_IF_TYPE && tile_type[i] != wanted) continue;
        sum = grown(sum, how == COUNT_IF_TYPE ? 1 : value, how);
      }
    }
    if (column < columns) partial[(ulong)GROUP() * columns + column] = sum;
  }
}

// The rows of the tile that column `column` of the second pass multiplies.
typedef struct {
  uint how, a, b;
} moment_column;

DEVICE moment_column moment_of(uint column) {
  moment_column made;
  made.how = ADD_WEIGHTED;
  made.a = made.b = 0;
  if (column == 0) {
    made.how = MOST;
    made.a = TILE_R2;
  } else if (column < 3) {
    made.a = column == 1 ? TILE_R2 : TILE_V2;
  } else if (column < 3 + DIM * (DIM + 1) / 2) {
    uint row = 0, at = column - 3;
    while (at >= DIM - row) at -= DIM - row++;
    made.how = ADD_PRODUCT;
    made.a = row * TILE;
    made.b = (row + at) * TILE;
  } else {  // of x cross v: the z axis alone in 2-D
    uint axis = DIM == 2 ? 2 : column - 3 - DIM * (DIM + 1) / 2;
    made.how = ADD_CROSS_PRODUCT;
    made.a = (axis + 1) % 3 * TILE;
    made.b = (axis + 2) % 3 * TILE;
  }
  return made;
}

// Second pass, about the center and the mean velocity that follow from the sums: largest squared
// radius, inertia, dispersion, upper triangle of the tensor, angular momentum.
KERNEL void add_moments(GLOBAL const uint* order, GLOBAL const uint* offset,
                        GLOBAL const uint* block_first, uint groups, uint block_size,
                        GLOBAL const double* position, uint position_kind,
                        GLOBAL const double* velocity, uint velocity_kind,
                        GLOBAL const double* mass, uint mass_kind, double same_mass,
                        uint components, GLOBAL const double* sides,
                        GLOBAL const uint* weighs_one, GLOBAL const double* sums, uint sum_columns,
                        GLOBAL double* partial) {
  SHARED double tile[TILE_VALUES * TILE];
  SHARED double center[2 * DIM];
  uint lane = LANE(), columns = 3 + DIM * (DIM + 1) / 2 + components;
  member_range range = range_of_block(GROUP(), order, offset, block_first, groups, block_size);
  member_source source = {position,      velocity,      mass,      sides,       position_kind,
                          velocity_kind, mass_kind,     range.first, weighs_one[range.group],
                          same_mass};
  GLOBAL const double* sum_of = sums + (ulong)range.group * sum_columns;
  if (lane < 2 * DIM) center[lane] = sum_of[2 + lane] / sum_of[1];
  for (uint base = 0; base < columns; base += GROUP_SIZE) {
    uint column = base + lane;
    moment_column made = moment_of(column < columns ? column : 0);
    double sum = 0;
    for (uint at = range.begin; at < range.end; at += TILE) {
      uint count = range.end - at < TILE ? range.end - at : TILE;
      BARRIER();
      if (lane < count) {
        load_member(&source, order[at + lane], tile, lane);
        double r2 = 0, v2 = 0;
        for (uint axis = 0; axis < DIM; ++axis) {
          double x = tile[axis * TILE + lane] - center[axis];
          tile[axis * TILE + lane] = x;
          r2 = r2 + x * x;
          if (velocity_kind == NO_NUMBERS) continue;
          double v = tile[TILE_V + axis * TILE + lane] - center[DIM + axis];
          tile[TILE_V + axis * TILE + lane] = v;
          v2 = v2 + v * v;
        }
        tile[TILE_R2 + lane] = r2;
        tile[TILE_V2 + lane] = v2;
      }
      BARRIER();
      if (column >= columns) continue;
      for (uint i = 0; i < count; ++i) {
        double weight = tile[TILE_WEIGHT + i], value = tile[made.a + i];
        if (made.how == ADD_WEIGHTED) value = weight * value;
        if (made.how == ADD_PRODUCT) value = weight * value * tile[made.b + i];
        if (made.how == ADD_CROSS_PRODUCT)
          value = weight * (value * tile[TILE_V + made.b + i] -
                            tile[made.b + i] * tile[TILE_V + made.a + i]);
        sum = grown(sum, value, made.how);
      }
    }
    if (column < columns) partial[(ulong)GROUP() * columns + column] = sum;
  }
}

// The blocks of each group, in order. Columns from `least` on are least values, from `most` on
// largest ones, from `rest` on sums again.
KERNEL void join_blocks(GLOBAL const double* partial, GLOBAL const uint* block_first, uint groups,
                        uint columns, uint least, uint most, uint rest, GLOBAL double* out) {
  ulong i = THREAD();
  if (i >= (ulong)groups * columns) return;
  ulong group = i / columns;
  uint column = (uint)(i % columns);
  uint how = column < least || column >= rest ? ADD : column < most ? LEAST : MOST;
  double sum = how == LEAST ? REAL_INFINITY : how == MOST ? -REAL_INFINITY : 0;
  for (uint block = block_first[group]; block < block_first[group + 1]; ++block)
    sum = grown(sum, partial[(ulong)block * columns + column], how);
  out[i] = sum;
}

// Groups without mass give all members the same weight; `any` counts them.
KERNEL void find_massless(GLOBAL const double* sums, uint groups, uint columns,
                          GLOBAL uint* weighs_one, GLOBAL uint* any) {
  ulong group = THREAD();
  if (group >= groups) return;
  weighs_one[group] = !(sums[group * columns] > 0);
  if (weighs_one[group]) ATOMIC_ADD(any, 1u);
}
