#include "trainer/adapter_options.h"

namespace kg::trainer {

void declare_adapters(Options& options, AdapterOptions& values) {
  options.add("lora-rank", values.lora_rank, "train low-rank adapters of this rank instead of all weights; 0 = all")
      .range(0, 4096);
  options.add("lora-alpha", values.lora_alpha, "scale adapters by alpha / rank").range(0.001, 1e6);
  options.add("lora-targets", values.lora_targets,
              "a projection that gets an adapter (q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, down_proj); may "
              "be repeated; default: all of them");
}

}  // namespace kg::trainer
