// Writes docs/reference/algorithms.md; with --check it only says whether the file is up to date.
//   algorithms_page <source folder> [--check]
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "trainer/algorithm.h"

namespace {

using namespace kg::trainer;

constexpr const char* kHead = R"(# Algorithms of `kgtrain rl`

`--algorithm NAME` chooses a row; other options can override its switches ([cli.md](cli.md)). This page is generated
from the table in `trainer/algorithm.cpp`: `cmake --build build/release --target algorithms_page_update` writes it, and
a test compares it.

Every objective is a sum over tokens: a factor without gradient times the token's own log-probability. Quantities of
whole answers (a sequence's ratio, a divergence in the reward) come from earlier passes without gradient.

- **baseline**: what a reward is compared with. `group mean`, `leave one out` (the mean of the task's other answers),
  `batch` (the mean over all tokens of the update), `correct` (none: 1 for a correct answer, else 0).
- **std**: whether the difference is divided by the standard deviation (n - 1, plus 1e-4).
- **aggregation**: how tokens are weighted. `token`: one mean over all; `sequence-mean`: mean over each answer, then
  over answers; `sequence-sum`: sum over each answer, then the mean; `constant`: sum / (answers x token limit).
- **surrogate**: `clipped` is PPO's min(ratio A, clip(ratio) A); `detached` weights A log pi by the clipped ratio;
  `log-prob` is A log pi alone. **ratio**: of a `token`, or of the `sequence`'s mean log-ratio.
- **refill**: groups whose rewards are all equal are replaced by new groups; an update makes at most this many times
  `--groups-per-step` groups.
- **overlong**: last fraction of the token limit, over which a penalty falls from 0 to -1.

| name | baseline | std | aggregation | surrogate | ratio | clip low, high | refill | overlong | source |
|---|---|---|---|---|---|---|---|---|---|
)";

constexpr const char* kTail = R"(
## The sampler's distribution

With stale weights, bf16 or int8 the sampler's distribution differs from the trainer's. `--correction` says how the loss
corrects for it. A token's ratio is exp(trainer - sampler), of its log-probabilities at the start of the update:

| `--correction` | factor | known as |
|---|---|---|
| `token` | min(ratio, `--importance-cap`) | truncated importance sampling |
| `sequence` | min(product over the answer, `--importance-cap`) | sequence-level truncation |
| `token-mask` | ratio within `--mask-low` to `--mask-high`, else 0 | IcePop |
| `sequence-mask` | 1 if the answer's mean \|log ratio\| is at most `--sequence-limit`, else 0 | MirrorPop |
| `none` | 1; refused with staleness or int8 | |

`--dual-clip C` bounds the objective of a negative advantage at C A (arXiv 1912.09729, eq. 5; TRL's `delta`).

## The divergence from the starting model

`--kl-weight` adds the divergence to the loss; `--kl-in-reward` subtracts it from the reward instead. With
d = log reference - log policy, the estimators are:

- k1 = -d is unbiased, but in a loss its gradient has mean 0, so it is only for the reward;
- k2 = d^2 / 2 in a loss has the gradient of KL(policy || reference);
- k3 = exp(d) - 1 - d is unbiased and never negative; in a loss it has the gradient of KL(reference || policy).

In the reward, the penalties of all tokens of an answer are summed (TRL's RLOO). With the baseline `batch`, each token
gets the sum of the penalties from itself to the answer's end (REINFORCE++).

## Preferences

`kgtrain dpo --loss` is `dpo` (arXiv 2305.18290, eq. 7), `ipo` (arXiv 2310.12036, eq. 17, over token means as in TRL)
or `kto` (arXiv 2402.01306, eq. 7), each with `--likelihood-weight` (arXiv 2404.19733, eq. 1).
)";

std::string page() {
  static constexpr const char* kBaselines[] = {"group mean", "leave one out", "batch", "correct"};
  static constexpr const char* kAggregations[] = {"token", "sequence-mean", "sequence-sum", "constant"};
  static constexpr const char* kSurrogates[] = {"clipped", "detached", "log-prob"};
  std::ostringstream text;
  text << kHead;
  for (const Algorithm& row : algorithm_table()) {
    const bool clips = row.surrogate != Surrogate::kLogProb;
    text << "| `" << row.name << "` | " << kBaselines[static_cast<int>(row.advantage.baseline)] << " | "
         << (row.advantage.divide_by_std ? "yes" : "no") << " | " << kAggregations[static_cast<int>(row.aggregation)]
         << " | " << kSurrogates[static_cast<int>(row.surrogate)] << " | "
         << (!clips                            ? ""
             : row.ratio == RatioLevel::kToken ? "token"
                                               : "sequence")
         << " | ";
    if (clips) text << row.clip_low << ", " << row.clip_high;
    text << " | " << row.refill << " | ";
    if (row.overlong_share > 0) text << row.overlong_share;
    text << " | " << row.source << " |\n";
  }
  text << kTail;
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path file = std::filesystem::path(argv[1]) / "docs/reference/algorithms.md";
  if (argc > 2 && std::strcmp(argv[2], "--check") == 0) {
    std::ifstream in(file);
    std::stringstream have;
    have << in.rdbuf();
    if (have.str() == page()) return 0;
    std::fprintf(stderr, "%s is out of date: cmake --build build/release --target algorithms_page_update\n",
                 file.c_str());
    return 1;
  }
  std::ofstream(file) << page();
  return 0;
}
