#include "sandbox/dsl/lower.h"

#include "sandbox/dsl/emit.h"
#include "sandbox/dsl/initialise.h"
#include "sandbox/dsl/parser.h"
#include "sandbox/dsl/process.h"
#include "sandbox/dsl/refusal.h"
#include "sandbox/dsl/tiling.h"
#include "sandbox/dsl/unaligned.h"

namespace kg::sandbox::dsl {

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
    if (options.want_project) lowered.project = emit_project(form, code);
    lowered.ok = true;
  } catch (const Refusal& refusal) {
    lowered.refusal = refusal.what();
    lowered.line = refusal.line();
  }
  return lowered;
}

}  // namespace kg::sandbox::dsl
