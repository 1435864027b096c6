// Graphs of operators as loops with tensors in GM between them: what the program says, and that the language takes it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "dataset/translation/index.h"
#include "dataset/translation/stages.h"
#include "dataset/translation/traced_prompt.h"
#include "dataset/translation/writer.h"
#include "dsl/parser.h"

namespace kg::dataset::translation {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string program_of(const std::string& tensors, const std::string& lines) try {
  const auto prompt = traced_prompt_of(tensors + "\nPyTorch's operators, one by one:\n" + lines);
  Graph graph = graph_of(*prompt);
  const std::string program = Stages(graph).program();
  dsl::parse(program);
  return program;
} catch (const Unknown& unknown) {
  return "unknown: " + unknown.what;
}

TEST(Stages, ARowIsReadOnceForAllThatIsMadeOfIt) {
  EXPECT_EQ(program_of("Input x: float[64,100]\nOutput out: float[64,100]", "out = softmax(x, 1)"),
            "kernel custom_op(x: float[A, B]) -> out: float[A, B]:\n"
            "  for i0 in cores(A):\n"
            "    x_ = load x[i0, :]\n"
            "    v = max(x_)\n"
            "    vb = x_ - v\n"
            "    vc = exp(vb)\n"
            "    vd = sum(vc)\n"
            "    outb = vc / vd\n"
            "    store out[i0, :] = outb\n");
}

TEST(Stages, AProductIsATensorInMemoryForWhatFollows) {
  EXPECT_EQ(program_of("Inputs x: float[64,100]; w: float[32,100]; b: float[32]\nOutput out: float[64,32]",
                       "t1 [100,32] = t(w)\nt2 [64,32] = addmm(b, x, t1)\nout = relu(t2)"),
            "kernel custom_op(x: float[A, B], w: float[C, B], b: float[C]) -> out: float[A, C]:\n"
            "  scratch g: float[A, C]\n"
            "  for m, n in cores(tiles(A), tiles(C)):\n"
            "    l0c c: float[m, n] = 0\n"
            "    for k in tiles(B):\n"
            "      l1 a = load x[m, k]\n"
            "      l1 bb = load w[n, k]\n"
            "      c += gemm(a, transpose(bb))\n"
            "    store g[m, n] = c\n"
            "  barrier\n"
            "  for i0, t in cores(A, tiles(C)):\n"
            "    gx = load g[i0, t]\n"
            "    b_ = load b[t]\n"
            "    t2 = gx + b_\n"
            "    outb = relu(t2)\n"
            "    store out[i0, t] = outb\n");
}

TEST(Stages, NumbersOfAGroupAreComputedOnceForAllOfIt) {
  const std::string program =
      program_of("Inputs x: float[4,16,10,10]; w: float[16]; b: float[16]\nOutput out: float[4,16,10,10]",
                 "out = group_norm(x, w, b, 4, 16, 100, 8, 1e-5)");
  EXPECT_THAT(program, HasSubstr("  for i0, i1 in cores(A, 8):\n    s = 0\n    for j in range(B // 8):\n"));
  EXPECT_THAT(program, HasSubstr("load g[i0, i1 // (B // 8)]"));
}

TEST(Stages, TwoReductionsAlongOtherAxesAreLoopsOfTheirOwn) {
  const std::string program = program_of("Input x: float[8,512]\nOutput out: float[8]",
                                         "t1 [512] = sum(x, 0)\nt2 = sub(x, t1)\nout [8] = sum(t2, 1)");
  EXPECT_THAT(program, HasSubstr("  scratch g: float[B]\n"));
  EXPECT_THAT(program, HasSubstr("  for t in cores(tiles(B)):\n    s = zeros(len(t))\n    for j in range(A):\n"));
}

TEST(Stages, NumbersOfARowInFrontOfAllLoopsAreATensor) {
  // The total takes rows, the sums of columns that are subtracted do not change with them.
  const std::string program = program_of("Input x: float[8,512]\nOutput out: float[8,512]",
                                         "t1 [1,512] = mean(x, [0], keepdim)\nt2 = sub(x, t1)\nout = softmax(t2, 1)");
  EXPECT_THAT(program, HasSubstr("  scratch g: float[B]\n"));
  EXPECT_THAT(program, Not(HasSubstr("all_sum")));
}

TEST(Stages, PlacesPickRowsAndElements) {
  EXPECT_THAT(
      program_of("Inputs w: float[100,32]; i: int64[5]\nOutput out: float[5,32]", "out [5,32] = embedding(w, i)"),
      HasSubstr("    i_ = load i[i0]\n    w_ = load w[i_, t]\n"));
  EXPECT_THAT(
      program_of("Inputs x: float[6,100]; i: int64[6,20]\nOutput out: float[6,20]", "out [6,20] = gather(x, 1, i)"),
      HasSubstr("gather(x_, i_)"));
}

TEST(Stages, ArgMaxKeepsTheFirstOfTheLargest) {
  EXPECT_THAT(program_of("Input x: float[4,30,64]\nOutput out: int64[4,64]", "out [4,64] = argmax(x, 1)"),
              HasSubstr("      p = where(x_ > s, j, p)\n      s = max(s, x_)\n    store out[i0, t] = int32(p)\n"));
  EXPECT_THAT(program_of("Input x: float[4,30]\nOutput out: int64[]", "out [] = argmax(x)"), HasSubstr("= all_min("));
}

TEST(Stages, JoinedTensorsAreStoredBehindEachOther) {
  EXPECT_THAT(
      program_of("Inputs x: float[6,100]; y: float[6,20]\nOutput out: float[6,120]", "out [6,120] = cat([x, y], 1)"),
      HasSubstr("    store out[i0, t + B] = y_\n"));
}

TEST(Stages, PartsOfAProductsOperandAreStoredInItsShape) {
  const std::string program = program_of("Inputs x: float[2,6,4,5]; w: float[8,12,1,1]\nOutput out: float[2,8,4,5]",
                                         "t1 [2,12,4,5] = cat([x, x], 1)\nout [2,8,4,5] = convolution(t1, w, None, [1, "
                                         "1], [0, 0], [1, 1], False, [0, 0], 1)");
  EXPECT_THAT(program, HasSubstr("scratch g: float[A, F, C * D]\n")) << "the weights have as many channels";
  EXPECT_THAT(program, HasSubstr("store g[i0, i1 + B, t + i2 * D] = x_b"));
}

// A dense network joins all that it has made, again and again.
TEST(Stages, AJoinThatBeginsAsAnEarlierOneBeginsWithIt) {
  const std::string program = program_of(
      "Inputs x: float[6,8]; y: float[6,4]; z: float[6,3]; w: float[12]; v: float[15]\nOutput out: float[6,15]",
      "t1 [6,12] = cat([x, y], 1)\nt2 = mul(t1, w)\nt3 [6,15] = cat([x, y, z], 1)\nt4 [6,12] = slice(t3, 1, 0, 12)\n"
      "t5 = mul(t3, v)\nt6 [6,3] = slice(t5, 1, 0, 3)\nt7 [6,12] = add(t2, t4)\nout [6,15] = cat([t7, t6], 1)");
  EXPECT_THAT(program, AllOf(HasSubstr("scratch g: float[A, E]\n"), HasSubstr("scratch gb: float[A, F]\n")))
      << "sizes have the names of those that they meet";
  EXPECT_THAT(program, AllOf(HasSubstr("store gb[i0, t] = gx"), HasSubstr("store gb[i0, t + E] = z_")));
}

// The same module may be judged with another width.
TEST(Stages, PartsOfAnAxisBeginAtSharesOfIt) {
  const std::string program = program_of(
      "Input x: float[8,6,384]\nOutput out: float[8,6,128]",
      "t1 [8,6,128] = slice(x, 2, 0, 128)\nt2 [8,6,128] = slice(x, 2, 128, 256)\nt3 [8,6,128] = slice(x, 2, 256, 384)\n"
      "t4 = softmax(t2, 1)\nt5 = mul(t1, t4)\nout = add(t5, t3)");
  EXPECT_THAT(program, AllOf(HasSubstr("t + (C // 3)"), HasSubstr("t + (C // 3) * 2"), Not(HasSubstr("128"))));
}

// The heads of an attention are a number, their width follows from that of all.
TEST(Stages, AViewOfABatchOfHeadsKeepsTheirCount) {
  const std::string program =
      program_of("Inputs x: float[6,2,512]; y: float[6,2,512]\nOutput out: float[2,6,512]",
                 "t1 [6,16,64] = view(x)\nt2 [16,6,64] = transpose(t1, 0, 1)\nt3 [6,16,64] = view(y)\n"
                 "t4 [16,64,6] = permute(t3, [1, 2, 0])\nt5 [16,6,6] = bmm(t2, t4)\nt6 [16,6,64] = bmm(t5, t2)\n"
                 "t7 [6,16,64] = transpose(t6, 0, 1)\nt8 [6,2,512] = view(t7)\nout [2,6,512] = transpose(t8, 0, 1)");
  EXPECT_THAT(program, HasSubstr("float[B * 8, A, C // 8]"));
  EXPECT_THAT(program, AllOf(HasSubstr("-> out: float[B, A, C]"), Not(HasSubstr("64"))));
}

TEST(Stages, ATurnedTensorThatMeetsAnotherIsCopiedByRows) {
  const std::string program =
      program_of("Inputs x: float[8,32,600]; y: float[600,32]\nOutput out: float[8,600,32]",
                 "t1 [8,600,32] = transpose(x, 1, 2)\nt2 = sub(t1, y)\nt3 [8,1,32] = vector_norm(t2, dim=1, keepdim)\n"
                 "out [8,600,32] = div(t2, t3)");
  EXPECT_THAT(program, AllOf(HasSubstr("scratch g: float[A, C, B]"), HasSubstr("tiles(B)")));
  EXPECT_THAT(program, Not(HasSubstr("store out[i0, i1, i2]"))) << "not one by one";
}

// Every other column, in two parts: of an odd number of columns the first part has one more.
TEST(Stages, ColumnsInPartsAreRoundedUp) {
  const std::string program =
      program_of("Inputs x: float[2,64,14,14]; w: float[64,64,1,1]\nOutput out: float[2,64,7,7]",
                 "out [2,64,7,7] = convolution(x, w, None, [2, 2], [0, 0], [1, 1], False, [0, 0], 1)");
  EXPECT_THAT(program, HasSubstr("scratch g: float[A, C, 2, 1, B, (D + 1) // 2]"));
}

TEST(Stages, TheLargestAreFoundOneAfterTheOther) {
  const std::string inputs = "Input x: float[6,100]\nOutputs out: float[6,2]; at: int64[6,2]";
  EXPECT_THAT(program_of(inputs, "out, at [6,2] = topk(x, 2, 1)"),
              AllOf(HasSubstr(" = max("), HasSubstr(", -inf, "), HasSubstr("store out[i0, 1] = "),
                    HasSubstr("store at[i0, 1] = ")));
  EXPECT_THAT(program_of(inputs, "t1, t2 [6,2] = topk(x, 2, largest=False)\nout = neg(t1)\nat = add(t2, 1)"),
              AllOf(HasSubstr(" = min("), HasSubstr(", inf, ")));
  const std::string places = program_of("Input x: float[6,5]\nOutput out: int64[6,5]", "_, out = sort(x, descending)");
  EXPECT_THAT(places, AllOf(HasSubstr(" = max("), HasSubstr("int32(")));
  EXPECT_THAT(program_of("Input x: float[6,100]\nOutput out: float[6,100]", "out = sort(x, 1)"),
              HasSubstr("sort of more than 16"));
}

TEST(Stages, AWeightHasADirectionAndALength) {
  EXPECT_THAT(program_of("Inputs g: float[6,1]; v: float[6,100]\nOutput out: float[6,100]",
                         "out = weight_norm_interface(v, g)"),
              AllOf(HasSubstr("v_ * v_"), HasSubstr("sqrt(")));
}

TEST(Stages, ManySizesHaveShortNames) {
  std::string inputs = "Inputs x0: float[2]", lines;
  for (int i = 1; i < 60; ++i) {
    inputs += "; x" + std::to_string(i) + ": float[" + std::to_string(i + 2) + "]";
    lines += "t" + std::to_string(i) + " [] = sum(x" + std::to_string(i) + ")\n";
  }
  lines += "t60 = add(t1, t59)\nout [2] = add(x0, t60)";
  EXPECT_THAT(program_of(inputs + "\nOutput out: float[2]", lines),
              AllOf(HasSubstr("x25: float[Z]"), HasSubstr("x26: float[A1]"), HasSubstr("x52: float[A2]")));
}

TEST(Stages, ATensorWithOtherNumbersInAPartIsJoinedOfParts) {
  EXPECT_THAT(program_of("Inputs x: float[6,100]; y: float[6,20]\nOutput out: float[6,100]",
                         "out = slice_scatter(x, y, 1, 0, 20)"),
              AllOf(HasSubstr("store out[i0, t] = y_\n"), HasSubstr("load x[i0, t + 20]")));
  EXPECT_THAT(program_of("Inputs x: float[6,100]; y: float[100]\nOutput out: float[6,100]",
                         "out = select_scatter(x, y, 0, -1)"),
              AllOf(HasSubstr("out: float[A, B]:"), HasSubstr("store out[(A - 1), t] = y_\n")));
}

TEST(Stages, PaddingsOfAllKindsAreJoinedOfParts) {
  const std::string tensors = "Input x: float[6,100]\nOutput out: float[6,105]";
  EXPECT_THAT(program_of(tensors, "out [6,105] = reflection_pad1d(x, [3, 2])"), HasSubstr("flip("));
  EXPECT_THAT(program_of(tensors, "out [6,105] = replication_pad1d(x, [3, 2])"), HasSubstr("load x[i0, 99]"));
}

TEST(Stages, AWindowThatIsAllOfAnImageWalksOverItsPlaces) {
  EXPECT_THAT(program_of("Input x: float[4,6,3,3]\nOutput out: float[4,6,1,1]",
                         "out [4,6,1,1] = max_pool2d(x, [3, 3], [3, 3])"),
              HasSubstr("        x_ = load x[i0, i1, j, ja]\n"));
}

TEST(Stages, AnAverageOverPlacesInsideIsDividedByTheirNumber) {
  EXPECT_THAT(program_of("Input x: float[4,30]\nOutput out: float[4,15]",
                         "out [4,15] = avg_pool1d(x, [3], [2], [1], count_include_pad=False)"),
              HasSubstr("min(c * 2 + 2, B) - (max(c * 2 - 1, 0))"));
}

TEST(Stages, InputsAreNotCalledAsLoopsAre) {
  EXPECT_THAT(program_of("Inputs t: float[6,100]; i0: float[6,1]\nOutput out: float[6,100]", "out = mul(t, i0)"),
              HasSubstr("kernel custom_op(t_in: float[A, B], i0_in: float[A, 1]) ->"));
}

// Past the end of a row would be the next row of the folded tensor, not padding.
TEST(Stages, RowsThatWindowsReachBeyondAreNotFolded) {
  const std::string program = program_of(
      "Inputs x: float[2,6,4,40]; w: float[8,6,1,1]; v: float[8,6,3,3]\nOutput out: float[2,8,4,40]",
      "t1 [2,8,4,40] = convolution(x, w, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)\n"
      "t2 [2,8,4,40] = convolution(x, v, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)\nout = add(t1, t2)");
  EXPECT_THAT(program, HasSubstr("kernel custom_op(x: float[A, B, C, D], "));
  EXPECT_THAT(program, HasSubstr("- 1] pad 0\n"));
}

TEST(Stages, PixelShuffleMovesChannelsIntoTheImage) {
  EXPECT_THAT(
      program_of("Input x: float[2,8,5,6]\nOutput out: float[2,2,10,12]", "out [2,2,10,12] = pixel_shuffle(x, 2)"),
      HasSubstr("-> out: float[A, B // 4, C * 2, D * 2]:"));
}

TEST(Stages, SamplesAtComputedPlacesGatherFromAWholePlane) {
  const std::string program =
      program_of("Inputs x: float[2,3,24,36]; grid: float[2,20,28,2]\nOutput out: float[2,3,20,28]",
                 "out [2,3,20,28] = grid_sampler_2d(x, grid, 0, 0, False)");
  EXPECT_THAT(program, HasSubstr("gather("));
  EXPECT_THAT(program, HasSubstr("max(1 - abs("));  // nothing of what lies outside
  const std::string inside =
      program_of("Inputs x: float[2,3,24,36]; grid: float[2,20,28,2]\nOutput out: float[2,3,20,28]",
                 "out [2,3,20,28] = grid_sampler_2d(x, grid, 0, 1, align_corners)");
  EXPECT_THAT(inside, Not(HasSubstr("1 - abs(")));
  EXPECT_THAT(program_of("Inputs x: float[2,3,24,36]; theta: float[2,2,3]\nOutput out: float[2,3,20,28]",
                         "t1 [2,20,28,2] = affine_grid_generator(theta, [2, 3, 20, 28], False)\nout [2,3,20,28] = "
                         "grid_sampler_2d(x, t1, 0, 0, False)"),
              Not(HasSubstr("scratch")));  // of the places stacked on each other each is taken by itself
  EXPECT_EQ(program_of("Inputs x: float[2,3,24,36]; grid: float[2,20,28,2]\nOutput out: float[2,3,20,28]",
                       "out [2,3,20,28] = grid_sampler_2d(x, grid, 2, 0, False)"),
            "unknown: grid_sampler with bicubic interpolation");
}

TEST(Stages, AnotherSizeByAFractionPicksPlaces) {
  EXPECT_THAT(program_of("Input x: float[2,3,13,17]\nOutput out: float[2,3,22,17]",
                         "out [2,3,22,17] = upsample_nearest2d(x, [22, 17], 1.7, 1.0)"),
              HasSubstr("0.588235319"));  // the step as a float32, as PyTorch has it
  EXPECT_THAT(program_of("Input x: float[2,3,13,17]\nOutput out: float[2,3,40,17]",
                         "out [2,3,40,17] = upsample_bicubic2d(x, [40, 17], align_corners)"),
              HasSubstr("1.25 *"));
}

TEST(Stages, SlicesAtPlacesOfAListAreTakenWhereTheListNamesThem) {
  const std::string program = program_of("Inputs x: float[9,33]; i: int64[3]; s: float[3,33]\nOutput out: float[9,33]",
                                         "out = index_copy(x, 0, i, s)");
  EXPECT_THAT(program, HasSubstr("= max("));  // the last of several
  EXPECT_THAT(program, Not(HasSubstr("for j in range")));
}

TEST(Stages, AProductWithADiagonalMatrixScalesRows) {
  const std::string program = program_of("Inputs a: float[17]; b: float[17,40]\nOutput out: float[17,40]",
                                         "t1 [17,17] = diag_embed(a)\nout = mm(t1, b)");
  EXPECT_THAT(program, Not(HasSubstr("gemm")));
}

TEST(Stages, BoundsThatAreTensorsAreTakenElementByElement) {
  EXPECT_THAT(program_of("Inputs x: float[9,33]; low: float[33]; high: float[33]\nOutput out: float[9,33]",
                         "out = clamp(x, low, high)"),
              HasSubstr("min(max(x_, low_), high_)"));
}

TEST(Stages, LongRowsAreSpreadInPieces) {
  const auto spread = [](const std::string& width, const std::string& out) {
    return program_of("Inputs x: float[1,4," + width + "]; w: float[4,5,3]\nOutput out: float[1,5," + out + "]",
                      "out [1,5," + out + "] = convolution(x, w, None, [2], [1], [1], transposed, [0], 1)");
  };
  EXPECT_THAT(spread("70001", "140001"), HasSubstr("float(arange(len(t) * 2))"));
  EXPECT_THAT(spread("701", "1401"), Not(HasSubstr("len(t) * 2")));
}

TEST(Stages, AnInputThatTwoProductsTakeInTwoShapesIsCopiedForOne) {
  const std::string program =
      program_of("Inputs x: float[4,5,6]; w: float[6,7]\nOutput out: float[4,7,6]",
                 "t1 [20,6] = view(x)\nt2 [20,7] = mm(t1, w)\nt3 [4,5,7] = view(t2)\nt4 [4,7,5] = transpose(t3, 1, "
                 "2)\nout [4,7,6] = bmm(t4, x)");
  EXPECT_THAT(program, HasSubstr("scratch g: float[A * B, C]\n"));
  EXPECT_THAT(program, HasSubstr("load x[i0, kb, nb]"));
  EXPECT_THAT(program, Not(HasSubstr("float[A, B, C]\n")));  // no copy that nothing reads
}

TEST(Stages, ASumOverWindowsThatANormalisationTakesIsStored) {
  const std::string program = program_of(
      "Inputs x: float[2,8,20,20]; w: float[8,1,3,3]; g: float[8]; b: float[8]\nOutput out: float[2,8,20,20]",
      "t1 [2,8,20,20] = convolution(x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 8)\n"
      "out = batch_norm(t1, g, b, None, None, training, 0.1, 1e-5)");
  const std::size_t first = program.find("load x[");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(program.find("load x[", first + 1), std::string::npos) << program;
}

TEST(Stages, ManyRowsAreSummedInPartsByAllCores) {
  const auto summed = [](const std::string& rows) {
    return program_of("Inputs x: float[" + rows + ",48]\nOutput out: float[48]", "out [48] = sum(x, [0])");
  };
  EXPECT_THAT(summed("9600"), HasSubstr("in cores(48, tiles(B)):"));
  EXPECT_THAT(summed("960"), Not(HasSubstr("scratch")));
}

TEST(Stages, AnAxisOfAViewIsAKnownOneOnlyInItsPlace) {
  // The last 128 elements are a part of the rows of 16, not the axis in front of them that has as many.
  EXPECT_THAT(program_of("Input x: float[128,128,16]\nOutput out: float[2048,128]", "out [2048,128] = view(x)"),
              HasSubstr(", 128]:\n"));
}

TEST(Stages, ACumulativeSumOfRowsThatLieAcrossIsOfACopy) {
  EXPECT_THAT(program_of("Inputs x: float[16,128,8]\nOutput out: float[16,8,2,64]",
                         "t1 [16,2,64,8] = view(x)\nt2 [16,8,2,64] = permute(t1, [0, 3, 1, 2])\nout = cumsum(t2, 3)"),
              HasSubstr("outb = cumsum(gx)\n    store out["));
}

TEST(Stages, UnfoldedPartsMayOverlap) {
  const std::string apart =
      program_of("Input x: float[2,64]\nOutput out: float[2,4,16]", "out [2,4,16] = unfold(x, 1, 16, 16)");
  EXPECT_THAT(apart, HasSubstr("store out["));
  EXPECT_THAT(apart, Not(HasSubstr("gather")));
  EXPECT_THAT(program_of("Input x: float[2,64]\nOutput out: float[2,7,16]", "out [2,7,16] = unfold(x, 1, 16, 8)"),
              HasSubstr("store out["));
}

TEST(Stages, NamesDoNotRunOut) {
  Graph graph;
  std::map<int, Storage> storage;
  std::set<std::string> taken;
  Writer writer(graph, storage, taken);
  std::set<std::string> names;
  for (int i = 0; i < 60; ++i) names.insert(writer.fresh("j"));
  names.insert(writer.variable("j"));
  EXPECT_EQ(names.size(), 61u);
  for (const std::string& name : names)
    EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0; })) << name;
}

TEST(Stages, AConvolutionIsAProductWithItsWindows) {
  const std::string program =
      program_of("Inputs x: float[2,3,20,20]; w: float[8,3,3,3]; b: float[8]\nOutput out: float[2,8,20,20]",
                 "out [2,8,20,20] = convolution(x, w, b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)");
  EXPECT_THAT(program, HasSubstr("w: float[E, B * 3 * 3]"));
  EXPECT_THAT(program, HasSubstr("gemm("));
  EXPECT_THAT(program, HasSubstr(" pad 0\n"));
}

TEST(Stages, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(program_of("Input x: float[8,512]\nOutput out: float[8,512]", "out = argsort(x, 1)"), "unknown: argsort");
  EXPECT_THAT(program_of("Input x: float[8,512]\nOutput out: float[8,512]", "out = div(x, 2, rounding_mode=floor)"),
              HasSubstr("unknown: div"));
}

TEST(Stages, NamesOfTensorsAreNotTakenTwice) {
  EXPECT_THAT(program_of("Inputs A: float[8,512]; B: float[8,512]\nOutput out: float[8,512]", "out = mul(A, B)"),
              HasSubstr("kernel custom_op(A: float[C, D], B: float[C, D]) -> out: float[C, D]:\n"));
}

TEST(Index, AViewTakesPlacesApartAndTogether) {
  Sizes sizes;
  const SizeId a = sizes.literal(4), b = sizes.literal(6), ab = sizes.literal(24);
  EXPECT_EQ(text_of(through_view({{.text = "i"}, {.text = "j"}}, {a, b}, {ab}, sizes)), "i * 6 + j");
  EXPECT_EQ(text_of(through_view({{.text = "k"}}, {ab}, {a, b}, sizes)), "k // 6, k % 6");
  const Index apart = through_view({{.text = "k"}}, {ab}, {a, b}, sizes);
  EXPECT_EQ(text_of(through_view(apart, {a, b}, {ab}, sizes)), "k");
  EXPECT_EQ(text_of(through_view({{.text = "i"}, {.kind = Entry::Kind::kTiles, .text = "", .loop = "t", .length = "6"}},
                                 {a, b}, {ab}, sizes)),
            "t + i * 6");
  // Axes of one element between others have a place of their own, or are part of a range.
  const SizeId one = sizes.literal(1);
  EXPECT_EQ(text_of(through_view({{.text = "k"}}, {ab}, {a, one, b}, sizes)), "k // 6, 0, k % 6");
  Index flat = through_view({{.kind = Entry::Kind::kTiles, .text = "", .loop = "t", .length = "24"}}, {ab},
                            {a, one, b, one}, sizes);
  EXPECT_TRUE(drop_single_axes(flat, {a, one, b, one}, sizes));
  EXPECT_EQ(text_of(flat), "t");
}

}  // namespace
}  // namespace kg::dataset::translation
