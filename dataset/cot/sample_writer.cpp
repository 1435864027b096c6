#include "dataset/cot/sample_writer.h"

#include "dataset/cot/prompts.h"
#include "dataset/store/dsl_prompt.h"
#include "dataset/store/feedback.h"
#include "proto/message_json.h"
#include "reward/judge_version.h"

namespace kg::dataset::cot {
namespace {

constexpr const char* kPrediction =
    "What will the judge say to this kernel: correct, compile error, fault or wrong numbers? Give the reason.\n";

std::string cpp(const std::string& source) { return "```cpp\n" + source + "```"; }
std::string dsl(const std::string& program) { return "```dsl\n" + program + "```"; }
std::string block(const std::string& text, bool in_dsl) { return in_dsl ? dsl(text) : cpp(text); }

std::string style_name(const Way& way, bool in_dsl) { return in_dsl ? "dsl" : way.style.name; }
const std::string& right(const Way& way, bool in_dsl) { return in_dsl ? way.kernel.program : way.kernel.source; }

std::string place(const Mutant& mutant) {
  std::string text = "Line " + std::to_string(mutant.line);
  if (mutant.now.empty()) return text + ": `" + mutant.was + "` is missing.";
  return text + ": `" + mutant.now + "`.";
}

}  // namespace

proto::Sample& SampleWriter::add(const std::string& kind, const std::string& name, const std::string& style,
                                 const std::string& form) {
  proto::Sample& made = samples_.emplace_back();
  made.set_id(task_.id() + "/" + name);
  made.set_task(task_.id());
  made.set_kind(kind);
  made.set_split(task_.split());
  made.set_style(style);
  made.set_prompt_form(form);
  made.set_provenance(provenance_);
  made.set_judge_version(reward::judge_version());
  return made;
}

void SampleWriter::proven(proto::Sample& made, const Way& way, const Measured& measured) const {
  made.set_cycles(way.cycles);
  made.set_provenance(provenance_ + " correct, " + std::to_string(task_.cases_size()) + " cases, way " +
                      way.style.name + ", rank " + std::to_string(measured.rank) + " of " +
                      std::to_string(measured.ways));
}

void SampleWriter::describe(proto::Sample& made, const Wrong& found) const {
  made.set_provenance(provenance_ + " mutant " + found.mutant.kind + " line " + std::to_string(found.mutant.line) +
                      ", ended at " + proto::stage_name(found.verdict.stage()));
}

std::string SampleWriter::diagnosis(const Wrong& found) {
  const std::string fix =
      found.mutant.now.empty() ? "Put `" + found.mutant.was + "` back." : "It must be `" + found.mutant.was + "`.";
  const std::string& cause = found.mutant.cause;
  switch (pick() % 3) {
    case 0:
      return place(found.mutant) + " " + cause + " " + fix;
    case 1:
      return cause + " " + place(found.mutant) + " " + fix;
    default:
      return "It is " +
             (verdict_word(found.verdict) == "fault"           ? std::string("a fault")
              : verdict_word(found.verdict) == "wrong numbers" ? std::string("wrong arithmetic, not a crash")
                                                               : std::string("a compile error")) +
             ". " + place(found.mutant) + " " + cause + " " + fix;
  }
}

void SampleWriter::kernel(const Way& way, const Measured& measured, const std::string& form) {
  proto::Sample& made = add("kernel", way.style.name + "/" + form, way.style.name, form);
  const std::string words = style_words(way.style), workspace = task_.workspace_bytes() > 0 ? "with a workspace" : "";
  const bool kernel_only = form == "npukernelbench";
  made.set_instruction(
      kernel_only
          ? task_.prompt_npukernelbench()
          : short_prompt(instance_, words.empty() || workspace.empty() ? words + workspace : words + " " + workspace));
  const std::string thought = form == "short"
                                  ? short_reasoning(instance_, way.style, way.kernel.facts, pick())
                                  : long_reasoning(instance_, way.style, way.kernel.facts, measured, pick());
  const std::string source = cpp(way.kernel.source);
  made.set_output(thought + "\n" + (kernel_only ? "<kernel_impl>\n" + source + "\n</kernel_impl>" : source));
  proven(made, way, measured);
}

void SampleWriter::plan(const Way& way, const Measured& measured) {
  proto::Sample& made = add("plan", way.style.name + "/plan", way.style.name, "short");
  const std::string words = style_words(way.style);
  made.set_instruction("Plan the Ascend C kernel " + entry_point(instance_) + (words.empty() ? "" : " " + words) +
                       " for " + std::to_string(instance_.cores) + (instance_.cores == 1 ? " core" : " cores") +
                       ": split, tiles and buffers, alignment, stages and their order, cost. No code.\n" +
                       task_lines(instance_));
  made.set_output(long_reasoning(instance_, way.style, way.kernel.facts, measured, pick()));
  proven(made, way, measured);
}

void SampleWriter::dsl_kernel(const Way& way, const Measured& measured, bool with_language) {
  const std::string form = with_language ? "npukernelbench" : "short";
  proto::Sample& made = add("kernel", "dsl/" + form, "dsl", form);
  made.set_instruction(dsl_prompt(task_, form));
  made.set_output(dsl_reasoning(instance_, way.kernel.facts, pick()) + "\n" + dsl(way.kernel.program));
  proven(made, way, measured);
}

void SampleWriter::project(const Way& way, const Measured& measured, std::uint64_t cycles) {
  proto::Sample& made = add("project", "project", way.style.name, "project");
  made.set_instruction(project_prompt(instance_, way.kernel.project));
  made.set_output(
      project_answer(long_reasoning(instance_, way.style, way.kernel.facts, measured, pick()), way.kernel.project));
  proven(made, way, measured);
  made.set_cycles(cycles);
}

void SampleWriter::repair(const Wrong& found, const Way& way, bool in_dsl) {
  const std::string style = style_name(way, in_dsl);
  proto::Sample& made = add("repair", style + "/repair/" + found.mutant.kind, style, "short");
  made.set_instruction("This kernel is not right. Say why and repair it.\n" + task_lines(instance_) + "\n" +
                       block(found.mutant.source, in_dsl) + "\nThe judge says:\n" + feedback_text(found.verdict));
  made.set_output(diagnosis(found) + "\n" + block(right(way, in_dsl), in_dsl));
  made.set_cycles(way.cycles);
  describe(made, found);
}

void SampleWriter::prediction(const Wrong& found, const Way& way, bool in_dsl) {
  const std::string style = style_name(way, in_dsl);
  proto::Sample& made = add("prediction", style + "/prediction/" + found.mutant.kind, style, "short");
  made.set_instruction(kPrediction + task_lines(instance_) + "\n" + block(found.mutant.source, in_dsl));
  made.set_output(verdict_word(found.verdict) + "\n" + place(found.mutant) + " " + found.mutant.cause + "\n" +
                  feedback_text(found.verdict));
  describe(made, found);
}

void SampleWriter::right_prediction(const Way& way, const Measured& measured, bool in_dsl) {
  const std::string style = style_name(way, in_dsl);
  proto::Sample& made = add("prediction", style + "/prediction/right", style, "short");
  made.set_instruction(kPrediction + task_lines(instance_) + "\n" + block(right(way, in_dsl), in_dsl));
  made.set_output("correct\n" + short_reasoning(instance_, way.style, way.kernel.facts, pick()) + " It takes " +
                  std::to_string(way.cycles) + " cycles for " + std::to_string(task_.cases_size()) + " cases.");
  proven(made, way, measured);
}

void SampleWriter::multi_turn(const Wrong& first, const Wrong& second, const Way& way, bool in_dsl) {
  const std::string style = style_name(way, in_dsl);
  proto::Sample& made = add("multi_turn", style + "/turns", style, "multi_turn");
  made.set_instruction(in_dsl ? dsl_prompt(task_, "short") : short_prompt(instance_, style_words(way.style)));
  made.set_input("Attempt 1:\n" + block(first.mutant.source, in_dsl) +
                 "\nThe judge says: " + feedback_text(first.verdict) + "\nAttempt 2, after this: " + diagnosis(first) +
                 "\n" + block(second.mutant.source, in_dsl) + "\nThe judge says: " + feedback_text(second.verdict));
  made.set_output(diagnosis(second) + "\n" + block(right(way, in_dsl), in_dsl));
  made.set_cycles(way.cycles);
  describe(made, second);
}

}  // namespace kg::dataset::cot
