! The simulation of main.c in Fortran: the same numbers to the last bit, the same halos.
!
! Run it with mpirun -n 3.
module simulation
  use, intrinsic :: iso_c_binding
  use kith_mpi
  use mpi
  implicit none

  integer, parameter :: dp = c_double, i8 = c_int64_t
  integer, parameter :: all_particles = 600000, bodies = 24, steps = 12, between_looks = 4
  integer, parameter :: bytes_each = 62
  real(dp), parameter :: time_step = 0.05_dp, body_mass = 0.018_dp, soft2 = 0.0036_dp, link = 0.007_dp
  real(dp), parameter :: buffers = 6e6_dp
  integer(i8) :: state = 20

contains

  ! The generator of Lehmer: the same numbers in every language.
  real(dp) function drawn()
    state = mod(state * 48271_i8, 2147483647_i8)
    drawn = real(state, dp) / 2147483647.0_dp
  end function

  subroutine kick(x, v, time)
    real(dp), intent(in) :: x(3), time
    real(dp), intent(inout) :: v(3)
    real(dp) :: a(3), dx, dy, dz, r2, pull
    integer :: b
    a = 0
    do b = 0, bodies - 1
      dx = (b - 5.5_dp) / 12 - x(1)
      dy = 0.5_dp - x(2)
      dz = 0.5_dp - x(3)
      r2 = dx * dx + dy * dy + dz * dz + soft2
      pull = body_mass / (r2 * sqrt(r2))
      a(1) = a(1) + pull * dx
      a(2) = a(2) + pull * dy
      a(3) = a(3) + pull * dz
    end do
    v = v + time * a
  end subroutine

  subroutine leap(x, v)
    real(dp), intent(inout) :: x(3), v(3)
    call kick(x, v, time_step / 2)
    x = x + time_step * v
    call kick(x, v, time_step / 2)
  end subroutine

  ! Memory of this process, in bytes.
  real(dp) function memory(name)
    character(*), intent(in) :: name
    character(200) :: line
    integer :: file, status
    integer(i8) :: kilobytes
    memory = 0
    open (newunit=file, file="/proc/self/status", action="read", status="old", iostat=status)
    if (status /= 0) return
    do
      read (file, "(a)", iostat=status) line
      if (status /= 0) exit
      if (index(line, name) /= 1) cycle
      read (line(len(name) + 1:index(line, "kB") - 1), *) kilobytes
      memory = 1024.0_dp * real(kilobytes, dp)
    end do
    close (file)
  end function

  subroutine forget_peak()
    integer :: file, status
    open (newunit=file, file="/proc/self/clear_refs", action="write", status="old", iostat=status)
    if (status /= 0) return
    write (file, "(a)", iostat=status) "5"
    close (file, iostat=status)
  end subroutine

  ! The groups of these particles.
  subroutine find(x, count, label, groups)
    real(dp), target, intent(in) :: x(3, *)
    integer, intent(in) :: count
    integer(i8), intent(out) :: label(*)
    type(kith_mpi_groups), intent(out) :: groups
    type(kith_mpi_points) :: points
    type(kith_mpi_fof_options) :: options
    integer :: status
    points%data = c_loc(x)
    points%size = count
    points%is_double = 1
    points%keep = 1  ! my particles are a part of space already
    points%threads = 1
    options%linking_length = link
    options%min_size = 20
    options%wants_rows = 1
    if (kith_mpi_fof(MPI_COMM_WORLD, points, options, label, groups) == 0) return
    print "(2a)", "fof: ", kith_mpi_error()
    call MPI_Abort(MPI_COMM_WORLD, 1, status)
  end subroutine

  ! Says what there is at this step; returns the bytes that it took for each particle, beyond buffers.
  real(dp) function look(step, x, count, label, rank)
    integer, intent(in) :: step, count, rank
    real(dp), intent(in) :: x(3, *)
    integer(i8), intent(out) :: label(*)
    type(kith_mpi_groups) :: groups
    integer(i8), pointer :: sizes(:)
    integer(i8) :: own, largest
    integer :: status
    real(dp) :: before
    before = memory("VmRSS:")
    call forget_peak()
    call find(x, count, label, groups)
    look = (memory("VmHWM:") - before - buffers) / count
    own = 0
    if (groups%rows > 0 .and. groups%first == 0) then
      call c_f_pointer(groups%sizes, sizes, [groups%rows])
      own = sizes(1)
    end if
    call MPI_Allreduce(own, largest, 1, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, status)
    if (rank == 0) print "(a, i2, a, i4, a, i6, a)", "step ", step, ": ", groups%count, &
        " halos, the largest of ", largest, " particles"
    call kith_mpi_free(groups)
  end function
end module

program nbody
  use simulation
  implicit none
  real(dp), allocatable :: x(:, :), v(:, :)
  integer(i8), allocatable :: label(:)
  type(kith_mpi_groups) :: groups
  integer :: level, rank, ranks, status, count, i, step
  real(dp) :: one(3), own, most

  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, status)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, status)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, status)
  allocate (x(3, all_particles), v(3, all_particles), label(all_particles))
  v = 0
  label = 0
  count = 0
  do i = 1, all_particles
    one(1) = drawn()
    one(2) = drawn()
    one(3) = drawn()
    if (int(one(1) * ranks) /= rank) cycle
    count = count + 1
    x(:, count) = one
  end do
  call find(x, 1000, label, groups)  ! the first call also makes the tables that last
  call kith_mpi_free(groups)
  own = 0
  do step = 0, steps
    if (mod(step, between_looks) == 0) own = max(own, look(step, x, count, label, rank))
    do i = 1, count
      call leap(x(:, i), v(:, i))
    end do
  end do
  call MPI_Allreduce(own, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, status)
  if (rank == 0) print "(a, i2, 2a)", "at most ", bytes_each, " bytes per particle: ", &
      merge("yes", "no ", most <= bytes_each)
  call MPI_Finalize(status)
end program
