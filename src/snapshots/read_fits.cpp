// The reader of FITS files: the first binary table with rows. Such a table is a header of lines of
// 80 characters, in blocks of 2,880 bytes, and rows of big-endian numbers; no library is needed for
// that.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/fail.hpp"
#include "snapshots/table.hpp"
#include "snapshots/text_table.hpp"

namespace kith::io {
namespace {

constexpr std::uint64_t kBlock = 2880;
constexpr std::size_t kCard = 80;
constexpr std::uint64_t kMostBlocks = 4096;  // of one header
constexpr std::uint64_t kMostColumns = 999;  // by the standard
constexpr int kMostParts = 4096;

/// The keywords of a header, with their values as they are written.
class Cards {
 public:
  Cards(const InputBytes& file, std::uint64_t begin) : where_(file.path()) {
    for (std::uint64_t block = 0; block < kMostBlocks; ++block) {
      const std::string text = file.text(begin + block * kBlock, kBlock);
      if (text.size() < kBlock)
        fail_cut_off(where_, file.size(), begin + (block + 1) * kBlock, Whole::at_least);
      end_ = begin + (block + 1) * kBlock;
      for (std::size_t at = 0; at < kBlock; at += kCard) {
        const std::string_view card = std::string_view(text).substr(at, kCard);
        if (card.starts_with("END     ")) return;
        if (card.substr(8, 2) == "= ") values_.try_emplace(key_of(card), value_of(card));
      }
    }
    fail(ErrorCode::io, "{}: a FITS header does not end", where_);
  }

  std::uint64_t end() const { return end_; }  ///< where the data begin

  std::string text(const std::string& key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? "" : found->second;
  }
  bool has(const std::string& key) const { return values_.contains(key); }
  /// A whole number; an error if it is none, or too large to be true.
  std::uint64_t count(const std::string& key, std::uint64_t otherwise) const {
    if (!has(key)) return otherwise;
    const std::string value = text(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number >> 48 != 0)
      fail(ErrorCode::io, "{}: {} = {} in a FITS header; the file is damaged", where_, key, value);
    return number;
  }

 private:
  static std::string key_of(std::string_view card) {
    std::string_view key = card.substr(0, 8);
    while (key.ends_with(' ')) key.remove_suffix(1);
    return std::string(key);
  }
  /// Without quotes, comment and spaces around.
  static std::string value_of(std::string_view card) {
    std::string_view value = card.substr(10);
    while (value.starts_with(' ')) value.remove_prefix(1);
    if (value.starts_with('\'')) {
      value.remove_prefix(1);
      value = value.substr(0, std::min(value.find('\''), value.size()));
    } else {
      value = value.substr(0, std::min(value.find('/'), value.size()));
    }
    while (value.ends_with(' ')) value.remove_suffix(1);
    return std::string(value);
  }

  std::string where_;
  std::map<std::string, std::string> values_;
  std::uint64_t end_ = 0;
};

/// Bytes of the data behind a header.
std::uint64_t data_bytes(const Cards& cards, const std::string& where) {
  const std::uint64_t bits = [&] {
    std::string text = cards.text("BITPIX");
    if (text.starts_with('-')) text.erase(0, 1);
    std::uint64_t value = 8;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }();
  const std::uint64_t axes = cards.count("NAXIS", 0);
  if (axes == 0 || axes > kMostColumns || bits > 64) return 0;
  std::uint64_t numbers = 1;
  for (std::uint64_t axis = 1; axis <= axes; ++axis) {
    const std::uint64_t size = cards.count(formatted("NAXIS{}", axis), 0);
    if (size != 0 && numbers > (std::uint64_t{1} << 56) / size)
      fail(ErrorCode::io,
           "{}: a FITS header states a size of over 2^56 values; the file is damaged", where);
    numbers *= size;
  }
  return bits / 8 * (numbers + cards.count("PCOUNT", 0));
}

/// A column of the table: how many numbers, of which kind, and where in a row.
struct FitsColumn {
  std::string name;
  std::optional<Number> number;  ///< none: of a kind that holds no plain numbers
  std::uint64_t repeat = 1;
  std::size_t offset = 0;
};

std::size_t bytes_of_letter(char letter) {
  switch (letter) {
    case 'L':
    case 'X':
    case 'B':
    case 'A': return 1;
    case 'I': return 2;
    case 'J':
    case 'E': return 4;
    case 'K':
    case 'D':
    case 'C':
    case 'P': return 8;
    case 'M':
    case 'Q': return 16;
    default: return 0;
  }
}

std::optional<Number> number_of_letter(char letter) {
  switch (letter) {
    case 'B': return Number::u8;
    case 'I': return Number::i16;
    case 'J': return Number::i32;
    case 'K': return Number::i64;
    case 'E': return Number::f32;
    case 'D': return Number::f64;
    default: return std::nullopt;
  }
}

/// "3E": three floats. Numbers with a scale are not plain.
FitsColumn column_of(const Cards& cards, std::uint64_t i, std::size_t offset,
                     const std::string& where) {
  const std::string form = cards.text(formatted("TFORM{}", i));
  FitsColumn column{.name = cards.text(formatted("TTYPE{}", i)), .offset = offset};
  const auto [end, error] = std::from_chars(form.data(), form.data() + form.size(), column.repeat);
  if (error != std::errc()) column.repeat = 1;
  const char letter = end == form.data() + form.size() ? ' ' : *end;
  if (bytes_of_letter(letter) == 0 || column.repeat >> 32 != 0)
    fail(ErrorCode::io, "{}: column {} of the FITS table is of the form {}, which is not known",
         where, i, form);
  const std::string zero = cards.text(formatted("TZERO{}", i));
  const std::string scale = cards.text(formatted("TSCAL{}", i));
  const bool is_plain = (zero.empty() || zero == "0" || zero == "0.0") &&
                        (scale.empty() || scale == "1" || scale == "1.0");
  if (is_plain) column.number = number_of_letter(letter);
  return column;
}

std::uint64_t bytes_of_column(const Cards& cards, std::uint64_t i, const FitsColumn& column) {
  const std::string form = cards.text(formatted("TFORM{}", i));
  const char letter = form[std::min(form.find_first_not_of("0123456789"), form.size() - 1)];
  return letter == 'X' ? (column.repeat + 7) / 8 : column.repeat * bytes_of_letter(letter);
}

class FitsReader : public SnapshotReader {
 public:
  FitsReader(const std::string& path, const SnapshotOptions& options) : file_(path) {
    info.format = FileFormat::fits;
    info.files = {path};
    const Cards cards = find_table();
    begin_ = cards.end();
    row_bytes_ = static_cast<std::size_t>(cards.count("NAXIS1", 0));
    const std::uint64_t rows = cards.count("NAXIS2", 0);
    checked_bytes(rows, row_bytes_, begin_, file_.size(), path);
    list_columns(cards);
    choose(options);
    set_columns(info, chosen_, rows);
    for (const std::size_t part : chosen_.at(Field::position)) {
      const Number number = parts_[part].stored.number;
      if (number != Number::f32 && number != Number::i16 && number != Number::u8)
        info.position_scalar = Scalar::float64;
    }
  }

  void read(Field field, const SnapshotType&, const RowRange& rows, const Target& to,
            const Workers& workers) const override {
    RowLayout layout{row_bytes_, {}};
    for (const std::size_t part : chosen_.at(field)) layout.columns.push_back(parts_[part]);
    const auto bytes = stream(file_, begin_ + rows.begin * row_bytes_, rows.count * row_bytes_);
    read_rows(*bytes, layout, rows.count, to, 0, workers, file_.path());
  }

 private:
  Cards find_table() const {
    for (std::uint64_t at = 0; at < file_.size();) {
      Cards cards(file_, at);
      if (cards.text("XTENSION") == "BINTABLE" && cards.count("NAXIS2", 0) > 0) {
        if (cards.has("ZTABLE"))
          fail(ErrorCode::io, "{}: the FITS table is packed; unpack it with funpack", file_.path());
        return cards;
      }
      const std::uint64_t bytes = data_bytes(cards, file_.path());
      if (bytes > file_.size() - cards.end())
        fail_cut_off(file_.path(), file_.size(), cards.end() + bytes, Whole::at_least);
      at = cards.end() + (bytes + kBlock - 1) / kBlock * kBlock;
    }
    fail(ErrorCode::io, "{}: the FITS file has no binary table with rows", file_.path());
  }

  /// Columns of several numbers become several columns: "POS" of three is POS_1, POS_2, POS_3.
  void list_columns(const Cards& cards) {
    const std::uint64_t count = cards.count("TFIELDS", 0);
    std::uint64_t offset = 0;
    for (std::uint64_t i = 1; i <= std::min(count, kMostColumns); ++i) {
      const FitsColumn column = column_of(cards, i, static_cast<std::size_t>(offset), file_.path());
      offset += bytes_of_column(cards, i, column);
      if (offset > row_bytes_)
        fail(ErrorCode::io, "{}: columns of the FITS table are wider than its rows of {} bytes",
             file_.path(), row_bytes_);
      add_parts(column);
    }
  }

  void add_parts(const FitsColumn& column) {
    if (!column.number || column.repeat > kMostParts) return;
    for (std::uint64_t k = 0; k < column.repeat; ++k) {
      names_.push_back(column.repeat == 1 ? column.name : formatted("{}_{}", column.name, k + 1));
      parts_.push_back({{*column.number, true},
                        column.offset + static_cast<std::size_t>(k) * bytes_of(*column.number)});
    }
  }

  /// Vectors by their usual names count as x, y, z, and so on.
  void choose(const SnapshotOptions& options) {
    std::vector<std::string> names = names_;
    rename(names, {"pos", "position", "coordinates", "xyz"}, "");
    rename(names, {"vel", "velocity", "velocities"}, "v");
    if (names.empty()) fail(ErrorCode::io, "{}: has no column of numbers", file_.path());
    is_sky = options.columns.empty() && !sky_columns(names).empty();
    if (options.columns.empty() && !has_axes(names) && !is_sky)
      refuse(
          "{}: the FITS table has no columns named x, y, z, POS or ra, dec, z; choose among {} "
          "with columns",
          file_.path(), list_of(names_));
    chosen_ = choose_columns(options.columns.empty() ? names : names_, options, file_.path());
  }

  static std::string lower(std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
  }

  static bool has_axes(const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return lower(name) == "x" || lower(name) == "x1";
    });
  }

  static std::string list_of(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 12); ++i)
      text += (i == 0 ? "" : ", ") + names[i];
    return names.size() > 12 ? text + ", ..." : text;
  }

  static void rename(std::vector<std::string>& names, std::initializer_list<const char*> stems,
                     const std::string& prefix) {
    for (const char* stem : stems)
      for (std::string& name : names)
        for (int axis = 1; axis <= kMaxDimension; ++axis)
          if (lower(name) == formatted("{}_{}", stem, axis))
            name = formatted("{}x{}", prefix, axis);
  }

  InputBytes file_;
  std::uint64_t begin_ = 0;
  std::size_t row_bytes_ = 0;
  std::vector<std::string> names_;
  std::vector<Column> parts_;
  FieldColumns chosen_;
};

}  // namespace

ReaderPointer open_fits(const std::string& path, const ReaderOptions& options) {
  return std::make_unique<FitsReader>(path, options);
}

}  // namespace kith::io
