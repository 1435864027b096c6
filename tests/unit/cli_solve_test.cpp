// Parts of `kgtrain solve` and of what `kgtrain judge` says, without a model or a sandbox.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "cli/cycle_summary.h"
#include "cli/solve/model_check.h"
#include "cli/solve/search.h"
#include "cli/solve/tile_tuning.h"

namespace kg::cli {
namespace {

constexpr const char* kProgram =
    "kernel k(x: float[R, C]) -> z: float[R, C]:\n"
    "  tile T = 512  # tiles(C, 1)\n"
    "  tile U\n"
    "  for r, t in cores(R, tiles(C)):\n"
    "    for s in tiles(max(C, 4), 2048):\n"
    "      store z[r, t] = load x[r, t]\n"
    "    for s in tiles(C, T):\n"
    "      a = 1\n";

// `kgtrain solve FILE` of a new user: a home without models.
TEST(SolveModel, TheModelThatComesWithKgtrainIsFoundByItsName) {
  const fs::path home = fs::path(testing::TempDir()) / "home_without_models";
  fs::create_directories(home);
  ASSERT_EQ(::setenv("KGTRAIN_HOME", home.c_str(), 1), 0);
  EXPECT_NO_THROW(require_model("kernelgen-small", ""));
  EXPECT_THROW(require_model("kernelgen-smal", ""), Error);
}

TEST(SolveTiles, EveryPlaceForASizeIsFound) {
  const std::vector<TileSlot> slots = tile_slots(kProgram);
  ASSERT_EQ(slots.size(), 4u);
  const std::string program = kProgram;
  const auto there = [&](const TileSlot& slot) { return program.substr(slot.begin, slot.end - slot.begin); };
  EXPECT_EQ(there(slots[0]), "");
  EXPECT_EQ(there(slots[1]), ", 2048");
  EXPECT_EQ(there(slots[2]), " = 512");
  EXPECT_EQ(there(slots[3]), "");
  EXPECT_NE(with_tile_size(program, slots[0], 64).find("cores(R, tiles(C, 64)):"), std::string::npos);
  EXPECT_NE(with_tile_size(program, slots[1], 64).find("tiles(max(C, 4), 64):"), std::string::npos);
  EXPECT_NE(with_tile_size(program, slots[2], 64).find("tile T = 64  # tiles(C, 1)\n"), std::string::npos);
  EXPECT_NE(with_tile_size(program, slots[3], 64).find("tile U = 64\n"), std::string::npos);
}

Tried tried(proto::Stage stage, std::uint32_t passed, double error, const char* kernel = "k") {
  Tried made;
  made.kernel = kernel;
  made.verdict.set_stage(stage);
  made.verdict.set_cases_passed(passed);
  made.verdict.set_max_abs_error(error);
  return made;
}

TEST(SolveSearch, TheNearestMissIsTheOneThatCameFurthest) {
  const std::vector<Tried> all = {tried(proto::STAGE_UNSPECIFIED, 0, 0, ""), tried(proto::COMPILE, 0, 0),
                                  tried(proto::COMPARE, 1, NAN), tried(proto::COMPARE, 1, 0.5),
                                  tried(proto::COMPARE, 0, 0.1)};
  EXPECT_EQ(nearest_miss(all), &all[3]);
  EXPECT_EQ(fastest_correct(all), nullptr);
  EXPECT_EQ(nearest_miss({}), nullptr);
}

TEST(SolveSearch, ARepairTurnHasTheJudgesWords) {
  Tried wrong = tried(proto::COMPILE, 0, 0);
  wrong.verdict.set_reward_valid(true);
  wrong.verdict.set_compiler_output("kernel.dsl:2: load w[t]: there is no input w\n");
  EXPECT_EQ(repair_request(wrong, proto::DSL),
            "This kernel is not right. Say why and repair it.\nThe judge says:\nkernel.dsl:2: load w[t]: there is no "
            "input w");
  Tried none;
  none.no_kernel = "no code block";
  EXPECT_NE(repair_request(none, proto::DSL).find("begins with ```dsl"), std::string::npos);
}

// Two of four cores have work; V is busy half of the time and waits for MTE2.
reward::CycleReport some_report() {
  reward::CycleReport report{.index = 0, .bytes_read = 8000, .bytes_written = 4000, .tensor_bytes = 6000};
  proto::CycleProfile& profile = report.profile;
  profile.set_total(10000);
  profile.set_launch(9000);
  for (const double end : {1000.0, 800.0, 0.0, 0.0}) profile.add_core_ends(end);
  proto::CycleProfile::Pipe& vector = *profile.add_pipes();
  vector.set_name("V");
  vector.set_busy(900);
  vector.set_instructions(30);
  vector.set_amount(3000);
  proto::CycleProfile::Wait& wait = *vector.add_waits();
  wait.set_on("MTE2");
  wait.set_line(3);
  wait.set_cycles(600);
  proto::CycleProfile::Line& line = *profile.add_lines();
  line.set_line(4);
  line.set_pipe("V");
  line.set_busy(900);
  return report;
}

TEST(CycleSummary, MeansAreOverTheCoresThatDoSomething) {
  const CycleSummary summary = summarise(some_report(), "a\nb\nc\n  d = exp(x)\n");
  EXPECT_EQ(summary.cores, 4);
  EXPECT_EQ(summary.cores_used, 2);
  EXPECT_DOUBLE_EQ(summary.mean_end, 900);
  EXPECT_DOUBLE_EQ(summary.pipes.at(0).busy, 450);
  EXPECT_DOUBLE_EQ(summary.pipes.at(0).waiting, 300);
  EXPECT_EQ(summary.lines.at(0).text, "d = exp(x)");
  ASSERT_FALSE(summary.mends.empty());
  EXPECT_EQ(summary.mends[0].what, "only 2 of 4 cores have work: split it into smaller parts");
  EXPECT_DOUBLE_EQ(summary.mends[0].cycles, 1000 - 900 * 2 / 4.0);
}

TEST(CycleSummary, TextFitsEightyColumnsAndJsonHasEveryPart) {
  const CycleSummary summary = summarise(some_report(), "a\nb\nc\n" + std::string(200, 'd') + "\n");
  const std::string text = text_of(summary);
  EXPECT_NE(text.find("launch    9000 of 10000 cycles, 90 %"), std::string::npos) << text;
  EXPECT_NE(text.find("for MTE2 at line 3"), std::string::npos) << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  const nlohmann::json json = json_of(summary);
  EXPECT_EQ(json["cores"]["used"], 2);
  EXPECT_EQ(json["pipes"][0]["waits"][0]["for"], "MTE2");
  EXPECT_EQ(json["memory"]["bytes_read"], 8000);
}

}  // namespace
}  // namespace kg::cli
