#include "dataset/cot/probe.h"

#include "base/error.h"
#include "dataset/store/feedback.h"
#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {

std::string source_of(const Probe& probe) {
  const std::string in = proto::ascendc_type(probe.in), out = proto::ascendc_type(probe.out);
  std::string text =
      "#include \"kernel_operator.h\"\nusing namespace AscendC;\nextern \"C\" __global__ __aicore__ void probe(GM_ADDR "
      "px, GM_ADDR pz) {\n"
      "  GlobalTensor<" +
      in + "> gx; gx.SetGlobalBuffer((__gm__ " + in + "*)px);\n  GlobalTensor<" + out +
      "> gz; gz.SetGlobalBuffer((__gm__ " + out + "*)pz);\n  TPipe pipe;\n";
  if (!probe.bare)
    text += "  TBuf<> buf; pipe.InitBuffer(buf, " + std::to_string(probe.buffer_bytes) +
            ");\n  auto a = buf.GetWithOffset<" + in + ">(4096, 0), b = buf.GetWithOffset<" + in +
            ">(4096, 16384), c = buf.GetWithOffset<" + in + ">(4096, 32768);\n  auto d = buf.GetWithOffset<" + out +
            ">(4096, 49152);\n";
  return text + probe.body + "}\n";
}

Probed run_probe(sandbox::Sandbox& sandbox, const Probe& probe) {
  proto::ExecutionRequest request;
  request.set_source(source_of(probe));
  request.set_entry_point("probe");
  request.set_block_dim(1);
  proto::RunCase& run_case = *request.add_cases();
  proto::Tensor& x = *run_case.add_inputs();
  x.set_name("x");
  x.set_dtype(probe.in);
  x.add_shape(static_cast<std::int64_t>(probe.input.size()));
  x.mutable_data()->resize(probe.input.size() * proto::element_size(probe.in));
  for (std::size_t i = 0; i < probe.input.size(); ++i)
    operators::write_element(probe.in, x.mutable_data()->data(), i, probe.input[i]);
  proto::TensorSpec& z = *run_case.add_outputs();
  z.set_name("z");
  z.set_dtype(probe.out);
  z.add_shape(probe.output_elements);
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty())
    throw Error("the sandbox failed: " + result.sandbox_error(), "documentation probe",
                "kgtrain doctor shows what this machine lacks", Error::Kind::kEnvironment);
  Probed probed{.compiled = result.compiled()};
  if (!result.compiled()) {
    proto::Verdict verdict;
    verdict.set_compiler_output(result.compiler_output());
    probed.message = feedback_text(verdict);
    return probed;
  }
  if (result.cases_size() == 0) return probed;
  const proto::CaseResult& ran = result.cases(0);
  for (const proto::Fault& fault : ran.faults())
    if (fault.severity() == proto::ERROR && probed.message.empty())
      probed.message = fault.fault_class() + ": " + fault.message();
  probed.ran = ran.ran();
  probed.cycles = ran.cycles();
  if (ran.outputs_size() > 0)
    for (std::int64_t i = 0; i < probe.output_elements; ++i)
      probed.output.push_back(
          operators::read_element(probe.out, ran.outputs(0).data().data(), static_cast<std::size_t>(i)));
  return probed;
}

}  // namespace kg::dataset::cot
