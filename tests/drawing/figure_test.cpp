// Figures and plots: sizes, colors, places and labels, in pixels and as SVG.
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <regex>

#include <kith/io/figure.hpp>
#include <kith/sample.hpp>

#include "support/expect_error.hpp"
#include "support/folder.hpp"

namespace kith {
namespace {

using test::expect_error;
using test::Folder;

struct Rgb {
  int red, green, blue;
  bool operator==(const Rgb&) const = default;
  int sum() const { return red + green + blue; }
};

Rgb at(const Picture& p, double x, double y) {
  const auto i = 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) +
                      static_cast<std::size_t>(x));
  return {p.pixels[i], p.pixels[i + 1], p.pixels[i + 2]};
}

/// The numbers of the first match of a pattern.
std::vector<double> numbers(const std::string& text, const std::string& pattern) {
  std::smatch match;
  std::vector<double> result;
  if (!std::regex_search(text, match, std::regex(pattern))) return result;
  for (std::size_t i = 1; i < match.size(); ++i) result.push_back(std::stod(match[i]));
  return result;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++n;
  return n;
}

/// A heap of points at (30, 80, 50) in a box of 100, on an even ground.
std::vector<float> heap() {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> even(0, 100);
  std::normal_distribution<float> narrow(0, 0.8F);
  std::vector<float> x;
  for (int i = 0; i < 20000; ++i) x.insert(x.end(), {even(random), even(random), even(random)});
  for (int i = 0; i < 5000; ++i)
    x.insert(x.end(), {30 + narrow(random), 80 + narrow(random), 50 + narrow(random)});
  return x;
}

FigureOptions options_of_heap() {
  FigureOptions o;
  o.view = {.box = Box::periodic(100), .size = 400};
  o.title = "A heap";
  o.length_unit = "Mpc/h";
  return o;
}

/// Where the picture of the density lies on the sheet: left, top, width, height.
std::vector<double> area_of(const std::string& svg) {
  return numbers(svg, R"re(<image x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)")re");
}

TEST(Figure, ShowsTheHeapAndItsCircleWhereTheyAre) {
  const std::vector<float> x = heap();
  FigureOptions o = options_of_heap();
  const std::vector<double> center = {30, 80, 50};
  const std::vector<double> radius = {8};
  o.circles = {.center = center, .radius = radius, .legend = "groups"};
  const Drawing drawing = figure(view(x.data(), x.size() / 3, 3), o);
  const std::string svg = drawing.svg();
  const std::vector<double> area = area_of(svg);
  ASSERT_EQ(area.size(), 4U);
  EXPECT_EQ(area[2], 200);  // two pixels a unit
  EXPECT_EQ(area[3], 200);

  const double cx = area[0] + 0.3 * area[2];
  const double cy = area[1] + 0.2 * area[3];
  const Picture p = drawing.picture(2);
  EXPECT_EQ(p.width, std::lround(2 * drawing.width()));
  EXPECT_EQ(p.height, std::lround(2 * drawing.height()));
  EXPECT_GT(at(p, 2 * cx, 2 * cy).sum(), 650);                            // the heap
  EXPECT_LT(at(p, 2 * (area[0] + 150), 2 * (area[1] + 100)).sum(), 400);  // the ground
  EXPECT_GT(at(p, 2 * (cx - 16), 2 * cy).sum(), 650);                     // the circle
  EXPECT_GT(at(p, 2 * cx, 2 * (cy + 16)).sum(), 650);
  const auto circle = numbers(svg, R"re(<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)")re");
  EXPECT_NEAR(circle.at(0), cx, 1e-2);
  EXPECT_NEAR(circle.at(1), cy, 1e-2);
  EXPECT_NEAR(circle.at(2), 16, 1e-2);
}

TEST(Figure, HasTitleAxesUnitsColorBarAndScaleBar) {
  const std::vector<float> x = heap();
  const std::string svg = figure(view(x.data(), x.size() / 3, 3), options_of_heap()).svg();
  for (const char* text : {">A heap<", ">x (Mpc/h)<", ">y (Mpc/h)<", ">projected density / mean<",
                           ">20 Mpc/h<", ">0<", ">50<", ">100<", ">1<", ">10<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(count(svg, "data:image/png;base64,"), 2U);
  FigureOptions side = options_of_heap();
  side.view.axis = 0;
  side.has_scale_bar = false;
  const std::string other = figure(view(x.data(), x.size() / 3, 3), side).svg();
  EXPECT_NE(other.find(">z (Mpc/h)<"), std::string::npos);
  EXPECT_EQ(other.find(">20 Mpc/h<"), std::string::npos);
}

TEST(Figure, TicksStandWhereTheirNumbersAre) {
  const std::vector<float> x = heap();
  const std::string svg = figure(view(x.data(), x.size() / 3, 3), options_of_heap()).svg();
  const std::vector<double> area = area_of(svg);
  const auto label =
      numbers(svg, R"re(<text x="([\d.]+)" y="([\d.]+)" [^>]*text-anchor="middle"[^>]*>50<)re");
  ASSERT_EQ(label.size(), 2U);
  EXPECT_NEAR(label[0], area[0] + area[2] / 2, 0.51);
  EXPECT_GT(label[1], area[1] + area[3]);
}

TEST(Figure, HasEveryColorOfTheScaleInItsBar) {
  const std::vector<float> x = heap();
  const Drawing drawing = figure(view(x.data(), x.size() / 3, 3), options_of_heap());
  const std::vector<double> area = area_of(drawing.svg());
  const Picture p = drawing.picture(1);
  const auto bar = static_cast<int>(area[0] + area[2] + 20);
  for (const double part : {0.05, 0.5, 0.95}) {
    const Color color = color_of(part);
    const Rgb seen = at(p, bar, area[1] + (1 - part) * area[3]);
    EXPECT_NEAR(seen.red, color.red, 6) << part;
    EXPECT_NEAR(seen.green, color.green, 6) << part;
    EXPECT_NEAR(seen.blue, color.blue, 6) << part;
  }
}

TEST(Figure, DrawsCirclesOfTheSliceAloneAndAroundTheEdges) {
  const std::vector<float> x = heap();
  FigureOptions o = options_of_heap();
  o.view.center = 50;
  o.view.thickness = 10;
  const std::vector<double> center = {30, 80, 50, 1, 99, 48, 60, 60, 70, 50, 50, NAN};
  const std::vector<double> radius = {8, 5, 5, 5};
  o.circles = {.center = center, .radius = radius, .labels = 1};
  const std::string svg = figure(view(x.data(), x.size() / 3, 3), o).svg();
  // One, and four images of the one in the corner; each is drawn as a dark and a light ring.
  EXPECT_EQ(count(svg, "<circle"), 2U * (1 + 4));
  EXPECT_EQ(count(svg, ">0</text>"), 3U);  // its number, and those of both axes
}

TEST(Figure, EscapesWhatComesFromFiles) {
  const std::vector<float> x = heap();
  FigureOptions o = options_of_heap();
  o.title = "<script>alert(1)</script>";
  o.length_unit = "\"&\x02";
  const std::string svg = figure(view(x.data(), x.size() / 3, 3), o).svg();
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("&quot;&amp;\ufffd"), std::string::npos);
}

TEST(Figure, OfNothingAndOfOnePointIsDrawn) {
  const std::vector<double> one = {5, 5};
  EXPECT_GT(figure(view(one.data(), 0, 2), {.view = {.size = 64}}).picture(1).width, 64);
  EXPECT_GT(figure(view(one.data(), 1, 2), {.view = {.size = 64}}).svg().size(), 100U);
}

TEST(Figure, IsTheSameForAnyNumberOfThreads) {
  const std::vector<float> x = heap();
  const auto svg = [&](int threads) {
    return figure(view(x.data(), x.size() / 3, 3), options_of_heap(), {.threads = threads}).svg();
  };
  EXPECT_EQ(svg(1), svg(3));
}

TEST(Figure, RefusesWhatMakesNoSense) {
  const std::vector<float> x = heap();
  FigureOptions o = options_of_heap();
  const std::vector<double> radius = {1, 2};
  o.circles.radius = radius;
  expect_error(ErrorCode::invalid_argument,
               "figure: 0 numbers for the centers of 2 circles in 3 dimensions; give 6",
               [&] { figure(view(x.data(), 10, 3), o); });
  const Drawing drawing = plot({});
  for (const double scale : {0.0, -1.0, 1e6, double{NAN}})
    expect_error(ErrorCode::invalid_argument, "give a scale up to",
                 [&] { drawing.picture(scale); });
}

TEST(Drawing, IsWrittenAsItsNameSays) {
  const Folder folder;
  const Drawing drawing = plot({.title = "T", .series = {{.x = {1, 2}, .y = {3, 4}}}});
  write_drawing(folder / "a.svg", drawing);
  write_drawing(folder / "a.png", drawing);
  write_drawing(folder / "a.pdf", drawing);
  EXPECT_EQ(folder.read("a.svg"), drawing.svg());
  EXPECT_EQ(folder.read("a.png").substr(1, 3), "PNG");
  EXPECT_EQ(folder.read("a.pdf"), drawing.pdf());
  expect_error(ErrorCode::invalid_argument, "a.eps: unknown picture format",
               [&] { write_drawing(folder / "a.eps", drawing); });
  EXPECT_EQ(folder.names().size(), 3U);
}

Plot power_law() {
  Plot p;
  p.x = {.label = "mass", .is_log = true, .low = 1, .high = 1e4};
  p.y = {.label = "number", .is_log = true, .low = 1e-4, .high = 1};
  p.series.push_back({.name = "theory", .x = {1, 1e4}, .y = {1, 1e-4}});
  p.series.push_back({.name = "counts & errors",
                      .x = {100, 1000, 10},
                      .y = {0.01, 0, NAN},
                      .lower = {0.001, 0, 1},
                      .upper = {0.1, 0.002, NAN},
                      .style = SeriesStyle::points});
  return p;
}

TEST(Plot, PutsValuesWhereTheAxesSay) {
  const Drawing drawing = plot(power_law());
  const std::string svg = drawing.svg();
  // The only mark: in the middle of both axes, hence of the line's ends.
  const auto mark = numbers(svg, R"re(<circle cx="([\d.]+)" cy="([\d.]+)")re");
  const auto line = numbers(
      svg, R"re(<path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)" fill="none" stroke="#2670ba")re");
  ASSERT_EQ(mark.size(), 2U);
  ASSERT_EQ(line.size(), 4U);
  EXPECT_NEAR(mark[0], (line[0] + line[2]) / 2, 1e-2);
  EXPECT_NEAR(mark[1], (line[1] + line[3]) / 2, 1e-2);
  const Picture p = drawing.picture(2);
  const Rgb seen = at(p, 2 * mark[0], 2 * mark[1]);
  EXPECT_EQ(seen, (Rgb{214, 104, 28}));
  EXPECT_EQ(count(svg, "<circle"), 2U);  // and one in the legend
}

TEST(Plot, HasLabelsLegendAndPowers) {
  const std::string svg = plot(power_law()).svg();
  for (const char* text : {">mass<", ">number<", ">theory<", ">counts &amp; errors<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_TRUE(std::regex_search(
      svg, std::regex(R"re(>10<tspan dy="-[\d.]+" font-size="[\d.]+">[^<]*4</tspan>)re")))
      << svg;
}

TEST(Plot, DrawsErrorBars) {
  Plot p = power_law();
  const std::size_t with = count(plot(p).svg(), "<path");
  p.series[1].lower.clear();
  p.series[1].upper.clear();
  // Two bars of three lines: one about the mark, one of a count of 0 that reaches the axis. And the
  // one of the legend.
  EXPECT_EQ(with - count(plot(p).svg(), "<path"), 7U);
}

TEST(Plot, EqualScalesAndALegendBeside) {
  const Plot p{.series = {{.name = "noise",
                           .x = {0},
                           .y = {0},
                           .style = SeriesStyle::points,
                           .mark = 1.5,
                           .is_faint = true},
                          {.name = "far", .x = {10, 0}, .y = {0, 3}, .style = SeriesStyle::points}},
               .has_legend_beside = true,
               .has_equal_scales = true};
  const std::string svg = plot(p).svg();
  std::vector<double> mark;
  const std::regex circle(R"re(<circle cx="([\d.]+)" cy="([\d.]+)")re");
  for (std::sregex_iterator i(svg.begin(), svg.end(), circle), end; i != end; ++i) {
    mark.push_back(std::stod((*i)[1]));
    mark.push_back(std::stod((*i)[2]));
  }
  ASSERT_EQ(mark.size(), 10U);  // three marks, and two in the legend
  EXPECT_NEAR((mark[2] - mark[0]) / 10, (mark[1] - mark[5]) / 3, 0.01);
  EXPECT_GT(mark[6], mark[2]);  // the legend lies to the right of everything
  const Picture seen = plot(p).picture(2);
  EXPECT_EQ(at(seen, 2 * mark[0], 2 * mark[1]), (Rgb{168, 172, 180}));
  EXPECT_EQ(at(seen, 2 * mark[2], 2 * mark[3]), (Rgb{38, 112, 186}));
}

TEST(Plot, FindsItsOwnLimits) {
  const std::string svg =
      plot({.series = {{.x = {0, 100}, .y = {-3, 7}}, {.x = {50}, .y = {NAN}}}}).svg();
  for (const char* text : {">0<", ">100<", ">\u22122<", ">6<"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_GT(plot({.series = {{.x = {3}, .y = {3}}}}).svg().size(), 100U);
  EXPECT_GT(plot({.x = {.is_log = true}, .series = {{.x = {-3}, .y = {3}}}}).svg().size(), 100U);
}

TEST(Plot, RefusesWhatMakesNoSense) {
  const auto refused = [](const Plot& p, std::string_view words) {
    expect_error(ErrorCode::invalid_argument, words, [&] { plot(p); });
  };
  refused({.x = {.low = 2, .high = 1}}, "plot: x from 2 to 1");
  refused({.y = {.is_log = true, .low = 0, .high = 1}},
          "plot: y from 0 to 1 on a logarithmic axis");
  refused({.series = {{.x = {1}, .y = {}}}}, "plot: 1 values of x and 0 of y");
  refused({.series = {{.x = {1}, .y = {1}, .lower = {1}}}}, "plot: 1 lower and 0 upper ends");
  refused({.width = 10}, "plot: a sheet of 10 x 420");
}

}  // namespace
}  // namespace kith
