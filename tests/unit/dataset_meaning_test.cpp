#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "dataset/cot/meaning_audit.h"
#include "dataset/store/dataset.h"

namespace kg::dataset::cot {
namespace {

// Probes of six tasks, on numbers that a reference in this test computes. Of the third, an absolute value, one row
// has a single positive number.
std::string probe_lines() {
  std::string text;
  for (int draw = 0; draw < 3; ++draw) {
    const auto list = [](const std::vector<double>& values) {
      std::string made;
      for (const double value : values) made += (made.empty() ? "" : ",") + std::to_string(value);
      return "{\"dtype\":\"float\",\"shape\":[" + std::to_string(values.size()) + "],\"values\":[" + made + "]}";
    };
    std::vector<double> x, y, relu, difference, absolute, below;
    for (int i = 0; i < 40; ++i) {
      x.push_back(static_cast<double>((i * 7 + draw * 3) % 19 - 9) / 4);
      y.push_back(static_cast<double>((i * 5 + draw) % 23 - 11) / 8);
      relu.push_back(std::max(x.back(), 0.0));
      difference.push_back(x.back() - 2 * y.back());
      absolute.push_back(std::abs(x.back()));
      below.push_back(x.back() < y.back() ? 1 : 0);
    }
    const std::string number = list({1.5 + draw});
    std::vector<double> centred;
    for (int row = 0; row < 4; ++row)
      for (int i = 0; i < 10; ++i) {
        double sum = 0;
        for (int k = 0; k < 10; ++k) sum += x[static_cast<std::size_t>(10 * row + k)];
        centred.push_back(x[static_cast<std::size_t>(10 * row + i)] - sum / 10);
      }
    const auto in_rows = [&](std::string text) { return text.replace(text.find("[40]"), 4, "[4,10]"); };
    text += "{\"task\":\"rows\",\"inputs\":[" + in_rows(list(x)) + "],\"outputs\":[" + in_rows(list(centred)) + "]}\n";
    text += "{\"task\":\"absolute#0\",\"inputs\":[" + number + "],\"outputs\":[" + number + "]}\n";
    text += "{\"task\":\"absolute#1\",\"inputs\":[" + list(x) + "],\"outputs\":[" + list(absolute) + "]}\n";
    text += "{\"task\":\"relu\",\"inputs\":[" + list(x) + "],\"outputs\":[" + list(relu) + "]}\n";
    text += "{\"task\":\"below\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(below) + "]}\n";
    text += "{\"task\":\"both\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(relu) + "," +
            list(difference) + "]}\n";
    text += "{\"task\":\"less twice\",\"inputs\":[" + list(x) + "," + list(y) + "],\"outputs\":[" + list(difference) +
            "]}\n";
  }
  return text;
}

std::string flat(const std::string& parameters, const std::string& body) {
  return "kernel custom_op(" + parameters + ") -> out: float[N]:\n  for t in cores(tiles(N)):\n" + body;
}

// Programs, each with what it must be found as; empty: kept.
using Programs = std::vector<std::pair<std::string, std::string>>;

void expect_found(const Programs& programs) {
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "probes.jsonl", probe_lines());
  fs::create_directories(folder.path() / "programs");
  write_file_atomically(folder.path() / "programs/scaled.dsl",
                        flat("x: float[N]", "    a = load x[t]\n    store out[t] = a * 3.14\n"));
  const auto data = Dataset::open(folder.path() / "data.h5", OpenMode::kAppendOrCreate);
  std::vector<proto::JournalRecord> records;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    proto::Sample& sample = *records.emplace_back().mutable_sample();
    sample.set_id(std::to_string(i));
    sample.set_kind("kernel");
    sample.set_style("dsl");
    sample.set_instruction("prompt " + std::to_string(i));
    sample.set_output("Steps.\n```dsl\n" + programs[i].second + "```");
  }
  data->append(records);
  const MeaningReport report = meaning_audit(*data, folder.path() / "probes.jsonl", folder.path() / "programs");
  std::vector<std::string> found(programs.size());
  for (const MeaningFinding& one : report.findings) found[std::stoul(one.sample)] = one.task + " (" + one.how + ")";
  for (std::size_t i = 0; i < programs.size(); ++i) EXPECT_EQ(found[i], programs[i].first) << programs[i].second;
}

TEST(MeaningAudit, FindsWhatComputesTheSameInOtherWordsAndKeepsTheRest) {
  expect_found({
      {"relu (numbers)", flat("h: float[N]", "    a = load h[t]\n    store out[t] = max(a, 0)\n")},
      {"relu (numbers)", flat("q: half[N]", "    store out[t] = (load q[t] + abs(load q[t])) / 2\n")},
      // The inputs the other way round.
      {"less twice (numbers)",
       flat("y: float[N], x: float[N]", "    a = load y[t]\n    store out[t] = load x[t] - a - a\n")},
      {"scaled (program)", flat("w: float[N]", "    u = load w[t]\n    store out[t] = u * 0.5\n")},
      {"absolute#1 (numbers)", flat("x: float[N]", "    store out[t] = sqrt(load x[t] * load x[t])\n")},
      // The result is a bool.
      {"below (numbers)",
       "kernel custom_op(x: half[N], y: half[N]) -> z: bool[N]:\n  for t in cores(tiles(N)):\n    a = load x[t]\n    b "
       "= load y[t]\n    store z[t] = where(a < b, 1, 0)\n"},
      // Each tensor of a list.
      {"relu (numbers)",
       "kernel custom_op(xs: float[..]*) -> y: float[..]*:\n  for i in tensors(xs):\n    for t in "
       "cores(tiles(size(xs[i]))):\n      a = load xs[i, t]\n      store y[i, t] = max(a, 0)\n"},
      // The same for a positive number.
      {"", flat("x: float[N]", "    a = load x[t]\n    store out[t] = leaky_relu(a, 0.01)\n")},
      {"", flat("x: float[N], y: float[N]", "    a = load x[t]\n    store out[t] = a - 3 * load y[t]\n")},
      {"", flat("x: float[N]", "    a = load x[t]\n    store out[t] = a + 0.5\n")},
  });
}

TEST(MeaningAudit, FindsResultsInAnyOrderInPlaceAndBesideNumbersOfRows) {
  expect_found({
      {"both (numbers)",
       "kernel custom_op(a: float[N], b: float[N]) -> (u: float[N], v: float[N]):\n  for t in cores(tiles(N)):\n    a_ "
       "= load a[t]\n    store u[t] = a_ - 2 * load b[t]\n    store v[t] = relu(a_)\n"},
      {"both (numbers)",
       "kernel custom_op(a: float[N], b: float[N]) -> (r: float[N], a):\n  for t in cores(tiles(N)):\n    a_ = load "
       "a[t]\n    store r[t] = relu(a_)\n    store a[t] = a_ - 2 * load b[t]\n"},
      {"relu (numbers)",
       "kernel custom_op(a: half[N]) -> a:\n  for t in cores(tiles(N)):\n    store a[t] = relu(load a[t])\n"},
      {"",
       "kernel custom_op(a: float[N], b: float[N]) -> (r: float[N], a):\n  for t in cores(tiles(N)):\n    a_ = load "
       "a[t]\n    store r[t] = relu(a_)\n    store a[t] = a_ - 3 * load b[t]\n"},
      // A number of each row beside it.
      {"rows (numbers)",
       "kernel custom_op(x: half[R, C]) -> (m: float[R, 1], y: half[R, C]):\n  for r in cores(R):\n    x_ = load x[r, "
       ":]\n    a = mean(x_)\n    y_ = x_ - a\n    store m[r, 0] = a\n    store y[r, :] = y_\n"},
      {"",
       "kernel custom_op(x: half[R, C]) -> (m: float[R, C], y: half[R, C]):\n  for r in cores(R):\n    x_ = load x[r, "
       ":]\n    store m[r, :] = x_ * 2\n    store y[r, :] = x_ - mean(x_)\n"},
  });
}

}  // namespace
}  // namespace kg::dataset::cot
