#include <gtest/gtest.h>

#include "dataset/answer.h"

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

}  // namespace
}  // namespace kg::dataset
