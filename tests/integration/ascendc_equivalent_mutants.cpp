// Mutants that behave as their parents do on the device too, one by one with the reason.

#include <regex>

#include "ascendc_mutants.h"

namespace kg::npu::testing {
namespace {

struct Equivalent {
  const char* parent;
  const char* what;  // beginning of it
  const char* why;
};

constexpr const char* kNothingFollows = "no instruction follows that it could change";
constexpr const char* kNoEffect = "the instruction does nothing, with or without the mistake";
constexpr const char* kOneRepeat = "there is one repeat, so what lies between repeats has no effect";
constexpr const char* kClipped = "the mask is clipped to what the type takes";
constexpr const char* kMoreScratch = "fills more of a scratch tensor, which nothing reads";
constexpr const char* kSamePipes = "of these positions the memory and the pipes are the same";
constexpr const char* kOneBlock = "there is one block, and the number of the first is 0";
constexpr const char* kWholeNumbers = "CAST_NONE from int32_t to float rounds as CAST_RINT does";
constexpr const char* kNoOriginalShape = "an original shape of 0 counts as the whole shape";
constexpr const char* kOnlyTheEnd =
    "the rows of a whole matrix only say where it ends; singleCoreM and singleCoreK count";

constexpr Equivalent kEquivalent[] = {
    {"MaskBeyondTheTypeIsClipped", "wrong mask", kClipped},
    {"WholeReduce", "twice a number (64): WholeReduceSum", kClipped},
    {"BlockReduce", "twice a number (64): BlockReduceSum", kClipped},
    {"SoftmaxOfRowsByHand", "twice a number (64): WholeReduce", kClipped},
    {"RepeatZeroDoesNothing", "wrong stride", kNoEffect},
    {"RepeatZeroDoesNothing", "wrong last stride", kNoEffect},
    {"RepeatZeroDoesNothing", "source for destination: Adds(o, a, ", kNoEffect},
    {"CountZeroDoesNothing", "source for destination: Muls", kNoEffect},
    {"RedundantBarriers", "dropped barrier", "EnQue and DeQue order the same pipes"},
    {"InPlaceThroughOneBuffer", "dropped barrier", kNothingFollows},
    {"GetValueCleanedAfterACopyOut", "dropped barrier", "the compiler lets S wait for the copies of MTE3"},
    {"GetValueCleanedAfterACopyOut", "dropped cache clean", "the line that is read was never in the cache"},
    {"PointersIntoTheBuffer", "dropped barrier", "the compiler lets S and V wait for each other"},
    {"UninitialisedScalarIsNotUsed", "wrong element type", "the scalar that is read is not used"},
    {"UninitialisedScalarDecidesNothing", "wrong element type", "the scalar that is read decides nothing"},
    {"ThreeRoundsOfSyncAll", "dropped SyncAll", "no core reads or writes what another one does"},
    {"ThreeRoundsOfSyncAll", "dropped cache clean", "the end of the kernel writes the cache back"},
    {"AtomicAddFromManyCores", "dropped atomic end", kNothingFollows},
    {"AtomicMaxTwiceFromOneCore", "dropped atomic end", kNothingFollows},
    {"HistogramByAtomics", "dropped atomic end", kNothingFollows},
    {"CubeCoresShareKByAtomicAdd", "dropped atomic end", kNothingFollows},
    {"CounterMode", "dropped mask call: SetMaskNorm", kNothingFollows},
    {"CounterMode", "dropped mask call: ResetMask", kNothingFollows},
    {"CounterModeInTightBuffers", "dropped mask call: SetMaskNorm", kNothingFollows},
    {"CounterModeInTightBuffers", "dropped mask call: ResetMask", kNothingFollows},
    {"CounterModeOverSeveralCalls", "dropped mask call: ResetMask", kNothingFollows},
    {"CounterModeOverSeveralCalls", "wrong stride", kOneRepeat},
    {"CounterModeOverSeveralCalls", "wrong last stride", kOneRepeat},
    {"RawIntrinsics", "dropped mask call", "TPipe leaves the mask register full"},
    {"Casts", "wrong round mode: RoundMode::CAST_NONE", kWholeNumbers},
    {"Integers", "wrong round mode: RoundMode::CAST_NONE", kWholeNumbers},
    {"IntegersAndBits", "wrong round mode: RoundMode::CAST_NONE", kWholeNumbers},
    {"SortsGroupsOf32", "wrong round mode", kWholeNumbers},
    {"SortsAll", "wrong round mode", kWholeNumbers},
    {"MergesFourSortedLists", "wrong round mode", kWholeNumbers},
    {"LargestEight", "wrong round mode", kWholeNumbers},
    {"SortsGroupsOf32", "twice a number (256): CreateVecIndex", kMoreScratch},
    {"SortsAll", "twice a number (256): CreateVecIndex", kMoreScratch},
    {"MergesFourSortedLists", "twice a number (256): CreateVecIndex", kMoreScratch},
    {"LargestEight", "twice a number (256): CreateVecIndex", kMoreScratch},
    {"LargestEight", "twice a number (8): TopK", kMoreScratch},
    {"JoinedMasksWhoseLastLanesArePadding", "twice a number (128): CompareScalar", kMoreScratch},
    {"GathersBackwards", "twice a number (256): ArithProgression", kMoreScratch},
    {"GathersUnderAMask", "twice a number (256): ArithProgression", kMoreScratch},
    {"OneElementFillsABlock", "twice a number (4): Brcb", kMoreScratch},
    {"SoftmaxOfRowsByHand", "half a number (8): Brcb", kOneRepeat},
    {"SoftmaxOfRowsByHand", "twice a number (8): Brcb", kOneRepeat},
    {"SoftmaxWithSumAndMaximum", "wrong last stride: {4, 64, 4, 64}", kNoOriginalShape},
    {"TemporariesOfTheLeastSize", "wrong last stride: {2, 64, 2, 64}", kNoOriginalShape},
    {"TemporaryFromWhatIsLeftOver", "count too large: Duplicate(a", kMoreScratch},
    {"ReductionsToAnyElementThatHoldsThem", "count too large: ReduceSum", kClipped},
    {"ReductionsToAnyElementThatHoldsThem", "half a number (8): BlockReduceSum", kOneRepeat},
    {"ReductionsToAnyElementThatHoldsThem", "twice a number (8): BlockReduceSum", kOneRepeat},
    {"CubeCoresTakeARowOfTilesEach", "twice a number (64): Nd2NzParams", "loads more columns, which nothing reads"},
    {"CubeCoresTakeARowOfTilesEach", "twice a number (4): LoadData2DParams",
     "loads more fractals, which nothing reads"},
    {"MatmulOfAll", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulOfAll", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulWithABias", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulWithABias", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulOfATransposedMatrix", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulByBlocks", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulByBlocks", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulWithAnEpilogue", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulWithAnEpilogue", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulOfWhatItsVectorCoreWrote", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulOfWhatItsVectorCoreWrote", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulAfterABarrier", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulAfterABarrier", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulAfterACopyThatWaits", "half a dimension: t.M", kOnlyTheEnd},
    {"MatmulAfterACopyThatWaits", "half a dimension: t.Kb", kOnlyTheEnd},
    {"MatmulWithAnEpilogue", "wrong position: QuePosition::VECIN", "GetTensorC returns when the tile is there"},
    {"MatmulWithAnEpilogue", "wrong position: TPosition::VECIN", "both are UB, where GetTensorC puts the tile"},
    {"CopyInsideUbIsNoCubeWork", "wrong offset: [GetBlockIdx()", kOneBlock},
    {"CopyInsideUbIsNoCubeWork", "same block for all", kOneBlock},
    {"CubeTileByBoundQueues", "wrong position: TPosition::A1", kSamePipes},
    {"CubeTileByBoundQueues", "wrong position: TPosition::B1", kSamePipes},
    {"CubeTileByBoundQueues", "wrong position: TPosition::A2", kSamePipes},
};

// Of a tensor that the body only looks at through ReinterpretCast, or not at all, the own type says nothing.
bool type_says_nothing(const Body& parent, const Mutation& mutation) {
  const std::regex declared(R"(wrong element type: (\w+) = \w+\.Get<\w+>)");
  std::smatch match;
  if (!std::regex_match(mutation.what, match, declared)) return false;
  const std::regex used("\\b" + match[1].str() + R"(\b(?! = )(?!(\[[^\]]*\])?\.ReinterpretCast<))");
  return !std::regex_search(parent.text, used);
}

}  // namespace

const char* why_equivalent(const Body& parent, const Mutation& mutation) {
  if (parent.cores == Cores::kVector && (mutation.what == "dropped barrier: PipeBarrier<PIPE_V>()" ||
                                         mutation.what == "dropped barrier: pipe_barrier(PIPE_V)"))
    return "the compiler lets vector instructions wait for each other, and the barrier orders nothing else";
  if (type_says_nothing(parent, mutation)) return "the tensor's own type is never used";
  for (const Equivalent& known : kEquivalent)
    if (parent.name == std::string(known.parent) && mutation.what.rfind(known.what, 0) == 0) return known.why;
  return nullptr;
}

}  // namespace kg::npu::testing
