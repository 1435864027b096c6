#include <gtest/gtest.h>

#include "dataset/store/answer.h"
#include "dataset/store/dsl_prompt.h"

namespace kg::dataset {
namespace {

TEST(ExtractKernel, TakesTheCppBlock) {
  const Answer answer = extract_kernel("8 cores.\n```cpp\nint a;\nint b;\n```\nDone.");
  EXPECT_EQ(answer.kernel, "int a;\nint b;\n");
  EXPECT_EQ(answer.reason, "");
}

TEST(ExtractKernel, TakesTheLastBlockAsEarlierOnesAreThinking) {
  EXPECT_EQ(extract_kernel("```cpp\nAdd(z, x, y);\n```\nso\n```c++\nwhole\n```").kernel, "whole\n");
}

TEST(ExtractKernel, TakesTheBlockWithinKernelImpl) {
  EXPECT_EQ(extract_kernel("<kernel_impl>\n```cpp\nint a;\n```\n</kernel_impl>\n```cpp\nother\n```").kernel,
            "int a;\n");
  EXPECT_EQ(extract_kernel("<kernel_impl>\nint a;\n</kernel_impl>").kernel, "int a;\n");
}

TEST(ExtractKernel, SaysWhyThereIsNone) {
  EXPECT_EQ(extract_kernel("I cannot.").reason, "the answer has no ```cpp block");
  EXPECT_EQ(extract_kernel("```cpp\nint a;").reason, "the code block is not closed");
  EXPECT_EQ(extract_kernel("```cpp").reason, "the code block is not closed");
  EXPECT_EQ(extract_kernel("```cpp\n  \n```").reason, "the code block is empty");
  EXPECT_EQ(extract_kernel("```python\nprint()\n```").reason, "the code blocks are not C++");
  EXPECT_EQ(extract_kernel("<kernel_impl>\n```cpp\nint a;\n```").reason, "<kernel_impl> is not closed");
  EXPECT_EQ(extract_kernel("<kernel_impl></kernel_impl>").reason, "the code block is empty");
  EXPECT_EQ(extract_kernel("").reason, "the answer has no ```cpp block");
}

TEST(ExtractKernel, ACutOffBlockAfterAWholeOneDoesNotCount) {
  EXPECT_EQ(extract_kernel("```cpp\nint a;\n```\n```cpp\nint b").kernel, "int a;\n");
}

TEST(ExtractKernel, AnswersInTheDslHoldDslBlocks) {
  const std::string text = "Rows.\n```dsl\nkernel k(x: half[N]) -> z: half[N]:\n```\n";
  EXPECT_EQ(extract_kernel(text, proto::DSL).kernel, "kernel k(x: half[N]) -> z: half[N]:\n");
  EXPECT_EQ(extract_kernel(text).kernel, "");
  EXPECT_EQ(extract_kernel("```cpp\nint x;\n```", proto::DSL).reason, "the code blocks are not in the DSL");
  EXPECT_EQ(extract_kernel("no block", proto::DSL).reason, "the answer has no ```dsl block");
}

TEST(DslPrompt, AsksForTheDslWithTheStepsOfTheTask) {
  proto::Task task;
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.set_prompt_short(
      "Write the Ascend C kernel custom_op in compact style for 8 cores.\nInput x: half[8,256]\nOutput z: "
      "half[8,256]\nz = exp(x)");
  EXPECT_EQ(
      dsl_prompt(task, "short"),
      "Write the kernel custom_op in the DSL for 8 cores.\nInput x: half[8,256]\nOutput z: half[8,256]\nz = exp(x)");
  const std::string taught = dsl_prompt(task, "npukernelbench");
  EXPECT_NE(taught.find("```dsl\nkernel norm("), std::string::npos);
  EXPECT_TRUE(taught.ends_with("z = exp(x)"));
  EXPECT_EQ(dsl_prompt({}, "short"), "");
}

TEST(DslPrompt, AModuleIsAskedForByItsOperatorsOrAsItIsWritten) {
  const std::string tensors = "\nInputs x: float[8,256]; b_bias: float[256]\nOutput out: float[8,256]",
                    written =
                        "\nOf the module's parameters, b_bias is b.bias.\nIt computes what this PyTorch code does.\n"
                        "```python\nclass Model:\n```",
                    steps = "\nPyTorch's operators, one by one:\n```\nout = add(x, b_bias)\n```";
  proto::Task task;
  task.set_suite("own");
  task.set_prompt_short("Write the Ascend C kernel custom_op for 48 cores." + tensors + written + steps);
  const std::string head = "Write the kernel custom_op in the DSL for 48 cores.";
  EXPECT_EQ(dsl_prompt(task, "short"), head + tensors + steps);
  EXPECT_EQ(dsl_prompt(task, "written"), head + tensors + written);
  EXPECT_TRUE(dsl_prompt(task, "explained").ends_with(head + tensors + written + steps));
  task.set_prompt_short("Write the Ascend C kernel custom_op for 48 cores." + tensors + written);
  EXPECT_EQ(dsl_prompt(task, "short"), head + tensors + written);  // its operators are not known
}

}  // namespace
}  // namespace kg::dataset
