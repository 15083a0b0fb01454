#include "drawing/coverage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kith::io {
namespace {

constexpr double kFar = 1e6;  // beyond any sheet

/// Conversion that is defined for every number.
int whole(double x) {
  if (!(x > -kFar)) return static_cast<int>(-kFar);
  return static_cast<int>(std::min(x, kFar));
}

}  // namespace

Pixels intersection(const Pixels& a, const Pixels& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

Pixels bounds(const std::vector<Polygon>& polygons) {
  Pixels result{whole(kFar), whole(kFar), whole(-kFar), whole(-kFar)};
  for (const Polygon& polygon : polygons)
    for (const Place& p : polygon) {
      result.left = std::min(result.left, whole(std::floor(p.x)));
      result.top = std::min(result.top, whole(std::floor(p.y)));
      result.right = std::max(result.right, whole(std::ceil(p.x)));
      result.bottom = std::max(result.bottom, whole(std::ceil(p.y)));
    }
  return result;
}

Coverage::Coverage(const std::vector<Polygon>& polygons, const Pixels& window)
    : window_(window), stride_(static_cast<std::size_t>(window.width()) + 2) {
  change_.resize(stride_ * static_cast<std::size_t>(window.height()));
  for (const Polygon& polygon : polygons)
    for (std::size_t i = 0; i < polygon.size(); ++i)
      add_edge(polygon[i], polygon[i + 1 == polygon.size() ? 0 : i + 1]);
}

std::vector<float> Coverage::row(int y) const {
  std::vector<float> result(static_cast<std::size_t>(window_.width()));
  const float* change = change_.data() + static_cast<std::size_t>(y) * stride_;
  float sum = 0;
  for (std::size_t x = 0; x < result.size(); ++x) {
    sum += change[x];
    result[x] = std::min(std::abs(sum), 1.0F);
  }
  return result;
}

void Coverage::add_edge(Place from, Place to) {
  const double sign = from.y < to.y ? 1 : -1;
  if (from.y > to.y) std::swap(from, to);
  if (!(to.y > from.y)) return;
  const double slope = (to.x - from.x) / (to.y - from.y);
  const int begin = std::max(window_.top, whole(std::floor(from.y)));
  const int end = std::min(window_.bottom, whole(std::ceil(to.y)));
  for (int y = begin; y < end; ++y) {
    const double y0 = std::max<double>(from.y, y);
    const double y1 = std::min<double>(to.y, y + 1);
    if (!(y1 > y0)) continue;
    const auto column = [&](double at) {
      const double x = from.x + slope * (at - from.y) - window_.left;
      return x >= 0 ? std::min<double>(x, window_.width()) : 0.0;  // 0 for NaN, too
    };
    float* row = change_.data() + static_cast<std::size_t>(y - window_.top) * stride_;
    add_in_row(row, sign * (y1 - y0), column(y0), column(y1));
  }
}

/// An edge inside one row of pixels, from column x0 to x1: pixels at its right get all of `area`,
/// those that it crosses get the part at its right. The part of pixel c is the mean over the edge
/// of clamp(c + 1 - x, 0, 1), which the difference of two integrals gives.
void Coverage::add_in_row(float* row, double area, double x0, double x1) const {
  if (x0 > x1) std::swap(x0, x1);
  const auto first = static_cast<std::size_t>(x0);
  const auto last = static_cast<std::size_t>(x1);
  if (first == last) {
    const double inside = 1 - ((x0 + x1) / 2 - static_cast<double>(first));
    row[first] += static_cast<float>(area * inside);
    row[first + 1] += static_cast<float>(area * (1 - inside));
    return;
  }
  // The integral over the edge of max(c - x, 0).
  const auto reached = [&](double c) {
    if (c <= x0) return 0.0;
    if (c >= x1) return c - (x0 + x1) / 2;
    return (c - x0) * (c - x0) / (2 * (x1 - x0));
  };
  double before = 0;
  double covered = 0;
  for (std::size_t c = first; c <= last + 1 && c < stride_; ++c) {
    const double integral = reached(static_cast<double>(c) + 1);
    const double now = integral - before;  // of pixel c
    row[c] += static_cast<float>(area * (now - covered));
    before = integral;
    covered = now;
  }
}

Polygon disc(const Place& center, double radius) {
  const int corners = std::clamp(static_cast<int>(6 * std::sqrt(radius)) + 6, 8, 720);
  Polygon result;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    result.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
  }
  return result;
}

void add_stroke(const std::vector<Place>& places, double width, bool has_round_ends,
                std::vector<Polygon>& out) {
  const double half = width / 2;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const Place& p = places[i];
    const Place& q = places[i + 1];
    const double length = std::hypot(q.x - p.x, q.y - p.y);
    if (!(length > 0)) continue;
    const double nx = -(q.y - p.y) / length * half;
    const double ny = (q.x - p.x) / length * half;
    out.push_back(
        {{p.x - nx, p.y - ny}, {q.x - nx, q.y - ny}, {q.x + nx, q.y + ny}, {p.x + nx, p.y + ny}});
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_end = i == 0 || i + 1 == places.size();
    if (!is_end || has_round_ends) out.push_back(disc(places[i], half));
  }
}

std::vector<std::vector<Place>> dashed(const std::vector<Place>& places,
                                       const std::vector<double>& dashes) {
  if (dashes.empty() || places.empty()) return {places};
  std::vector<std::vector<Place>> pieces{{places.front()}};
  std::size_t dash = 0;
  double left = dashes[0];
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    const Place& p = places[i];
    const Place& q = places[i + 1];
    const double length = std::hypot(q.x - p.x, q.y - p.y);
    double done = 0;
    while (length - done > left) {
      done += left;
      const Place at{p.x + (q.x - p.x) * done / length, p.y + (q.y - p.y) * done / length};
      if (dash % 2 == 0) pieces.back().push_back(at);
      ++dash;
      if (dash % 2 == 0) pieces.push_back({at});
      left = dashes[dash % dashes.size()];
    }
    left -= length - done;
    if (dash % 2 == 0) pieces.back().push_back(q);
  }
  return pieces;
}

}  // namespace kith::io
