#pragma once

#include <vector>

namespace kg::reward {

// Are there numbers a and b so that a x + b is within tolerance of every element? A constant is a = 0, a copy a = 1 and
// b = 0. Decided exactly: for a given a, the possible b are an intersection of intervals, whose width is a concave
// function of a.
class AffineAnswer {
 public:
  void add(double x, double wanted, double tolerance);
  bool exists() const;           // a and b
  bool constant_exists() const;  // a = 0
  bool copy_exists() const;      // a = 1, b = 0

 private:
  struct Element {
    double x, wanted, tolerance;
  };
  // Width of the interval for b, negative if it is empty, over the first `count` elements.
  double room(double a, std::size_t count) const;
  double most_room(std::size_t count) const;

  std::vector<Element> elements_;
};

}  // namespace kg::reward
