! kith_mpi.h for Fortran 2008: groups, halos, densities and neighbors over MPI ranks. Compile this file with
! your program; communicators are MPI_Comm handles of `use mpi` or mpif.h, or comm%mpi_val of `use mpi_f08`.
! The comments of kith_mpi.h say what the fields mean; a field that is not set has its default.
module kith_mpi
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: kith_mpi_points
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: size = 0
    integer(c_int) :: dimension = 3
    integer(c_int) :: is_double = 0
    integer(c_intptr_t) :: stride = 0
    type(c_ptr) :: box = c_null_ptr
    type(c_ptr) :: origin = c_null_ptr
    type(c_ptr) :: ids = c_null_ptr
    integer(c_int) :: keep = 0
    integer(c_int) :: drop = 0
    integer(c_int) :: threads = 0
    type(c_funptr) :: stop = c_null_funptr
  end type

  type, bind(c) :: kith_mpi_fof_options
    real(c_double) :: linking_length = 0
    real(c_double) :: b = 0
    real(c_double) :: mean_separation = 0
    real(c_double) :: volume = 0
    integer(c_int64_t) :: min_size = 0
    integer(c_int) :: strict = 0
    integer(c_int) :: wants_rows = 0
  end type

  type, bind(c) :: kith_mpi_groups
    integer(c_int64_t) :: count = 0
    integer(c_int64_t) :: first = 0
    integer(c_int64_t) :: rows = 0
    type(c_ptr) :: sizes = c_null_ptr
    type(c_ptr) :: lowest = c_null_ptr
    real(c_double) :: linking_length = 0
  end type

  type, bind(c) :: kith_mpi_density_options
    integer(c_size_t) :: k = 0
    integer(c_int) :: is_wendland = 0
    type(c_ptr) :: mass = c_null_ptr
  end type

  type, bind(c) :: kith_mpi_knn_options
    integer(c_size_t) :: k = 0
    integer(c_int) :: exclude_self = 0
    integer(c_int) :: strict = 0
    real(c_double) :: max_radius = 0
    integer(c_int) :: is_limited = 0
  end type

  type, bind(c) :: kith_mpi_halo_options
    type(kith_mpi_fof_options) :: fof
    type(c_ptr) :: velocity = c_null_ptr
    type(c_ptr) :: mass = c_null_ptr
    real(c_double) :: gravity = 0
    integer(c_int) :: velocity_type = 0
  end type

  type, bind(c) :: kith_mpi_column
    type(c_ptr) :: name = c_null_ptr
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: width = 0
    integer(c_int) :: type = 0
  end type

  type, bind(c) :: kith_mpi_halos
    type(kith_mpi_groups) :: groups
    type(c_ptr) :: column = c_null_ptr
    integer(c_size_t) :: columns = 0
    type(c_ptr) :: memory = c_null_ptr
  end type

  interface
    integer(c_int) function kith_mpi_fof(comm, points, options, label, groups) bind(c, name="kith_mpi_fof_f")
      import
      integer(c_int), value :: comm
      type(kith_mpi_points), intent(in) :: points
      type(kith_mpi_fof_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: label(*)
      type(kith_mpi_groups), intent(out) :: groups
    end function

    integer(c_int) function kith_mpi_find_halos(comm, points, options, label, halos) &
        bind(c, name="kith_mpi_find_halos_f")
      import
      integer(c_int), value :: comm
      type(kith_mpi_points), intent(in) :: points
      type(kith_mpi_halo_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: label(*)
      type(kith_mpi_halos), intent(out) :: halos
    end function

    integer(c_int) function kith_mpi_density(comm, points, options, density) bind(c, name="kith_mpi_density_f")
      import
      integer(c_int), value :: comm
      type(kith_mpi_points), intent(in) :: points
      type(kith_mpi_density_options), intent(in) :: options
      real(c_double), intent(out) :: density(*)
    end function

    ! distance: c_loc of an array of the type of the points.
    integer(c_int) function kith_mpi_knn(comm, points, options, index, distance) bind(c, name="kith_mpi_knn_f")
      import
      integer(c_int), value :: comm
      type(kith_mpi_points), intent(in) :: points
      type(kith_mpi_knn_options), intent(in) :: options
      integer(c_int64_t), intent(out) :: index(*)
      type(c_ptr), value :: distance
    end function

    subroutine kith_mpi_free(groups) bind(c)
      import
      type(kith_mpi_groups), intent(inout) :: groups
    end subroutine

    subroutine kith_mpi_free_halos(halos) bind(c)
      import
      type(kith_mpi_halos), intent(inout) :: halos
    end subroutine

    ! As kith_mpi_error, which returns its text.
    type(c_ptr) function kith_mpi_error_c() bind(c, name="kith_mpi_error")
      import
    end function
  end interface

contains

  ! The message of the last call that failed.
  function kith_mpi_error() result(text)
    character(:), allocatable :: text
    character(c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(kith_mpi_error_c(), letters, [10000])
    length = 0
    do while (letters(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(length) :: text)
    block
      integer :: i
      do i = 1, length
        text(i:i) = letters(i)
      end do
    end block
  end function
end module
