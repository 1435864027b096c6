#include "dsl/lower.h"

#include "dsl/emit.h"
#include "dsl/initialise.h"
#include "dsl/parser.h"
#include "dsl/process.h"
#include "dsl/refusal.h"
#include "dsl/tiling.h"
#include "dsl/unaligned.h"

namespace kg::dsl {

Lowered lower(const std::string& program, const LowerOptions& options) {
  Lowered lowered;
  try {
    const Program parsed = parse(program);
    Form form = tile_program(parsed, options.bindings, options.compact);
    if (options.want_forms) lowered.tiling = print_tiling(form);
    initialise(form);
    if (options.want_forms) lowered.initialisation = print_initialisation(form);
    Code code = process(form);
    if (options.want_forms) lowered.processing = print_code(form, code);
    correct_unaligned(form, code);
    if (options.want_forms) lowered.unaligned = print_code(form, code);
    const std::string entry = options.entry_point.empty() ? parsed.name : options.entry_point;
    Source source = options.compact ? emit_compact(form, code, entry) : emit_kernel(form, code, entry);
    lowered.source = std::move(source.text);
    lowered.lines = std::move(source.lines);
    lowered.workspace_bytes = static_cast<std::uint64_t>(form.workspace_bytes());
    if (form.checked.groups > 0) lowered.blocks = static_cast<std::uint32_t>(form.checked.blocks);
    for (const Parameter& parameter : form.checked.program.parameters)
      if (!parameter.scratch) lowered.tensors.push_back(parameter.tensor);
    if (options.want_project) {
      Project project = emit_project(form, code, entry);
      lowered.project = std::move(project.parts);
      lowered.project_lines = std::move(project.lines);
    }
    lowered.ok = true;
  } catch (const Refusal& refusal) {
    lowered.refusal = refusal.what();
    lowered.line = refusal.line();
  }
  return lowered;
}

}  // namespace kg::dsl
