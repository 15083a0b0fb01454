// Figures for papers and pages: densities and curves with axes, legends and labels, as SVG, PDF and
// PNG.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <kith/execution.hpp>
#include <kith/export.hpp>
#include <kith/io/picture.hpp>
#include <kith/points.hpp>

namespace kith {

/// Shapes and text on a sheet that can be rendered as pixels, SVG or PDF with the same look. Copies
/// share one sheet.
///
/// Lengths are in units of the sheet: pixels of the SVG at its natural size. In labels, `^{...}` is
/// a superscript and `_{...}` a subscript.
class KITH_API Drawing {
 public:
  double width() const;
  double height() const;

  /// One `<svg>` element, a whole document or part of a page. A style sheet may recolor the classes
  /// `paper`, `ink` (lines), `text` and `faint`.
  std::string svg() const;

  /// A PDF file of one page; letters are lines, so that it needs no font. Errors: out_of_memory.
  std::string pdf() const;

  /// Pixels, `scale` for each unit. Errors: invalid_argument for more than 16384 pixels a side.
  Picture picture(double scale = 2) const;

  class Impl;

 private:
  friend struct detail::Access;
  explicit Drawing(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

/// Writes a drawing as .svg, .pdf or .png, by the ending of the name. The file appears only when it
/// is complete. Errors: invalid_argument (another ending, see picture()), io, cancelled.
KITH_API void write_drawing(const std::string& path, const Drawing& drawing, double scale = 2,
                            const Execution& execution = {});

/// Throws the error that write_drawing would throw for this name. Call it before long work.
KITH_API void check_drawing_path(const std::string& path);

/// Groups to draw as circles, the most important first.
struct Circles {
  std::span<const double> center = {};  ///< rows of the points' dimension
  std::span<const double> radius = {};  ///< of each
  std::size_t labels = 10;              ///< this many of them are labeled with their row
  std::string legend = {};              ///< text for the legend
};

struct FigureOptions {
  /// The region and how it is drawn. Two of the `size` pixels make one unit of the drawing.
  PictureOptions view = {};
  std::string title = {};
  std::string note = {};         ///< small, at the right end of the title
  std::string length_unit = {};  ///< of the coordinates, such as "Mpc/h"
  std::string color_label = "projected density / mean";
  bool has_scale_bar = true;
  Circles circles = {};  ///< drawn if their centers are in the slice
};

/// The density of points with axes, color bar, scale bar and groups. Errors: those of picture();
/// invalid_argument for circles with arrays of the wrong size.
KITH_API Drawing figure(PointsView points, const FigureOptions& options = {},
                        const Execution& execution = {});
/// The figure of points that are not in memory, from their pixel_counts().
KITH_API Drawing figure(std::span<const std::uint32_t> counts, int dimension,
                        const FigureOptions& options, const Execution& execution = {});

enum class SeriesStyle { line, dashed, points, steps };

/// One curve of a plot. Values that are not finite, or not positive on a logarithmic axis, are left
/// out.
struct Series {
  std::string name = {};  ///< for the legend; no entry if empty
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::vector<double> lower = {};  ///< ends of error bars; none if empty
  std::vector<double> upper = {};
  SeriesStyle style = SeriesStyle::line;
  double mark = 0;        ///< radius of points; 0 = automatic
  bool is_faint = false;  ///< drawn in gray, behind the others
};

struct Axis {
  std::string label = {};
  bool is_log = false;
  double low = 0;  ///< both 0 = the range of the values
  double high = 0;
};

struct Plot {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};
  double width = 640;
  double height = 420;
  bool has_legend_beside = false;  ///< to the right of the plot instead of inside
  bool has_equal_scales = false;   ///< a unit is as long on both axes; not for logarithmic ones
};

/// Curves and points with axes and a legend. Errors: invalid_argument for inconsistent arrays or
/// limits.
KITH_API Drawing plot(const Plot& options);

}  // namespace kith
