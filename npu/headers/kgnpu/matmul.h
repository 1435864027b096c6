#pragma once

#include "kgnpu/abi_matmul.h"
#include "kgnpu/cube_params.h"
#include "kgnpu/matmul_callback.h"
#include "kgnpu/matmul_types.h"
#include "kgnpu/pipe.h"
#include "kgnpu/tiling_names.h"

// The Matmul object. It stores shapes and the position of the next block; each product is one runtime call, which
// runs it on the group's cube core on behalf of the calling vector core.

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulImpl {
  using A = typename A_TYPE::T;
  using B = typename B_TYPE::T;
  using C = typename C_TYPE::T;
  using Bias = typename BIAS_TYPE::T;
  static constexpr MatmulConfig kConfig = kg_detail::config_of(MM_CFG);
  using Policy = MATMUL_POLICY<MM_CFG>;
  static constexpr bool kUpper = std::is_same_v<Policy, Impl::Detail::TrianUpperMatmulPolicy<MM_CFG>>;
  static constexpr bool kLower = std::is_same_v<Policy, Impl::Detail::TrianLowerMatmulPolicy<MM_CFG>>;
  static_assert((std::is_same_v<A, B> && ::kgnpu::is_one_of<A, half, bfloat16_t, float, int8_t, int4b_t>),
                "Matmul: A and B are both half, bfloat16_t, float, int8_t or int4b_t on this device");
  static constexpr bool kIntegers = ::kgnpu::is_one_of<A, int8_t, int4b_t>;
  static_assert(!std::is_same_v<A, int4b_t> || ::kgnpu::is_one_of<C, int32_t, half>,
                "Matmul: C of int4b_t operands is int32_t or half on this device");
  static_assert(!std::is_same_v<A, int4b_t> || MM_CB::kg_is_plain,
                "Matmul: callbacks with operands of int4b_t are not emulated yet");
  static_assert(::kgnpu::is_one_of<C, half, bfloat16_t, float, int32_t, int8_t, uint8_t>,
                "Matmul: C is half, bfloat16_t, float, int32_t, int8_t or uint8_t on this device");
  static_assert(kUpper || kLower || std::is_same_v<Policy, Impl::Detail::MatmulPolicy<MM_CFG>> ||
                    std::is_same_v<Policy, Impl::Detail::NBuffer33MatmulPolicy<MM_CFG>>,
                "Matmul: a policy other than MatmulPolicy, NBuffer33MatmulPolicy, TrianUpperMatmulPolicy and "
                "TrianLowerMatmulPolicy is not emulated yet");
  static_assert(!kConfig.isPartialOutput && !kConfig.isEnableChannelSplit,
                "Matmul: isPartialOutput and isEnableChannelSplit are not emulated yet");

 public:
  static constexpr bool kg_is_matmul = true;
  static constexpr bool kg_is_served = !MM_CB::kg_is_plain;

  void Init(const TCubeTiling* __restrict tiling, TPipe* = nullptr) {
    initialised_ = true;
    if (tiling != nullptr) tiling_ = *tiling;
    kg_detail::fill_in(tiling_, MM_CFG);
    if (tiling == nullptr)
      SetOrgShape(tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK);
    else
      SetOrgShape(tiling_.M, tiling_.N, tiling_.Ka, tiling_.Kb);
    SetSingleShape(tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK);
    batch_a_ = batch_b_ = tiling_.BatchNum > 0 ? tiling_.BatchNum : 1;
  }
  void Init(const __gm__ TCubeTiling* tiling, TPipe* pipe = nullptr) {
    TCubeTiling copy;
    for (uint32_t i = 0; i < sizeof(copy) / 4; ++i) ((int32_t*)&copy)[i] = ((const __gm__ int32_t*)tiling)[i];
    Init(&copy, pipe);
  }
  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    org_m_ = orgM;
    org_n_ = orgN;
    org_ka_ = orgKa;
    org_kb_ = orgKb;
    org_kc_ = orgKc;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) {
    m_ = singleM;
    n_ = singleN;
    k_ = singleK;
    restart();
  }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) m_ = tailM;
    if (tailN != -1) n_ = tailN;
    if (tailK != -1) k_ = tailK;
    restart();
  }
  void SetTensorA(const GlobalTensor<A>& gm, bool isTransposeA = false) { set(a_, gm, isTransposeA); }
  void SetTensorB(const GlobalTensor<B>& gm, bool isTransposeB = false) { set(b_, gm, isTransposeB); }
  void SetTensorA(const LocalTensor<A>& leftMatrix, bool isTransposeA = false) { set(a_, leftMatrix, isTransposeA); }
  void SetTensorB(const LocalTensor<B>& rightMatrix, bool isTransposeB = false) { set(b_, rightMatrix, isTransposeB); }
  // A row of K equal numbers, a column of them.
  void SetTensorA(A aScalar) { set(a_, aScalar); }
  void SetTensorB(B bScalar) { set(b_, bScalar); }
  void SetBias(const GlobalTensor<Bias>& gm) {
    bias_ = kInGm;
    bias_gm_ = gm.kg_address();
  }
  void SetBias(const LocalTensor<Bias>& local) {
    bias_ = kInLocal;
    bias_local_ = local.kg_view;
  }
  void ClearBias() { bias_ = kNone; }
  void DisableBias() { bias_ = kNone; }
  void SetQuantScalar(const uint64_t quantScalar) {
    scale_ = quantScalar;
    scales_ = 0;
  }
  void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) { scales_ = quantTensor.kg_address(); }
  void SetHF32(bool = false, int32_t = 0) {}
  void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() { return sub_block_; }
  template <typename T>
  void SetWorkspace(GlobalTensor<T>& addr) {
    workspace_ = addr.kg_address();
  }
  template <typename T>
  void SetWorkspace(__gm__ const T* addr, int) {
    workspace_ = (uint64_t)addr;
  }
  void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
  // Handed to the callbacks.
  void SetUserDefInfo(const uint64_t tilingPtr) { user_info_ = tilingPtr; }
  void SetSelfDefineData(const uint64_t dataPtr) { self_data_ = dataPtr; }

  // The next base block of C; false when all are done. With enPartialSum it adds to the block before: the core's part
  // has to be one base block.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, KG_WHERE) {
    static_assert(kConfig.scheduleType != ScheduleType::OUTER_PRODUCT,
                  "Matmul: Iterate with ScheduleType::OUTER_PRODUCT is not emulated yet");
    if (m_ <= 0 || n_ <= 0 || tiling_.baseM <= 0 || tiling_.baseN <= 0) return false;
    if (compute_next(enPartialSum, kg_where.line)) return true;
    restart();
    return false;
  }
  // The same into a tensor in CO1 that is the kernel's, which also writes it out.
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, KG_WHERE) {
    static_assert(std::is_same_v<T, std::conditional_t<kIntegers, int32_t, float>>,
                  "Matmul: a product in CO1 is float, or int32_t of int8_t or int4b_t operands");
    if (!Iterate<sync>(enPartialSum, kg_where)) return false;
    ::kgnpu::MatmulCall call = result(0, kg_where.line);
    to_local(call, localCmatrix.kg_view);
    call.c.format = ::kgnpu::MatrixFormat::kInL0c;
    call.c.type = ::kgnpu::TypeOf<T>::value;
    call.quantisation = static_cast<uint8_t>(NoQuant);
    run(call);
    return true;
  }
  // The block that Iterate has computed; without sequential writing, at its place in C. Asynchronously one Iterate
  // serves all blocks: each further GetTensorC gives the next.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false, KG_WHERE) {
    take<sync>(kg_where.line);
    put(gm, enAtomic, enSequentialWrite, sync, kg_where.line);
  }
  template <bool sync = true>
  void GetTensorC(const LocalTensor<C>& co2Local, uint8_t enAtomic = 0, bool enSequentialWrite = false, KG_WHERE) {
    (void)enSequentialWrite;
    take<sync>(kg_where.line);
    put(co2Local, enAtomic, kg_where.line);
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<C>& gm, const LocalTensor<C>& co2Local, uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, KG_WHERE) {
    take<sync>(kg_where.line);
    put(gm, enAtomic, enSequentialWrite, sync, kg_where.line);
    put(co2Local, 0, kg_where.line);
  }
  // In the workspace.
  template <bool sync = true>
  GlobalTensor<C> GetTensorC(uint8_t enAtomic = 0, bool enSequentialWrite = false, KG_WHERE) {
    (void)enSequentialWrite;
    take<sync>(kg_where.line);
    GlobalTensor<C> kept = in_workspace(int64_t{at()} * tiling_.baseM * tiling_.baseN);
    put(kept, enAtomic, /*sequential=*/true, sync, kg_where.line);
    return kept;
  }
  void AsyncGetTensorC(const LocalTensor<C>& c, KG_WHERE) { GetTensorC<false>(c, 0, false, kg_where); }
  MatrixOffset GetOffsetC() {
    MatrixOffset where;
    where.row = block_row();
    where.col = block_column();
    where.height = block_m();
    where.width = block_n();
    where.offset = where.row * c_pitch() + where.col;
    return where;
  }

  template <bool sync = true>
  void IterateAll(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false, KG_WHERE) {
    (void)waitIterateAll;
    if (fakeMsg || m_ <= 0 || n_ <= 0) return;
    if (!kUpper && !kLower && (!enSequentialWrite || m_blocks() * n_blocks() == 1)) {
      whole(gm.kg_address(), enAtomic, enSequentialWrite, sync, kg_where.line);
    } else {
      for (block_ = 0; block_ < m_blocks() * n_blocks(); ++block_) {
        if (left_out(block_row(), block_m(), block_column(), block_n())) continue;
        ::kgnpu::MatmulCall call = product(block_row(), block_column(), block_m(), block_n(), enAtomic, kg_where.line);
        const int64_t place = enSequentialWrite ? int64_t{block_} * tiling_.baseM * tiling_.baseN : 0;
        to_gm(call, gm.kg_address() + place * sizeof(C), enSequentialWrite);
        call.wait = sync;
        run(call);
      }
    }
    restart();
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<C>& ubCmatrix, uint8_t enAtomic = 0, KG_WHERE) {
    if (m_ <= 0 || n_ <= 0) return;
    ::kgnpu::MatmulCall call = product(0, 0, m_, n_, enAtomic, kg_where.line);
    to_local(call, ubCmatrix.kg_view);
    run(call);
    restart();
  }

  // max(batchA, batchB) products of neighbouring matrices; if the numbers differ, each matrix of the shorter side meets
  // as many of the other. A stride is the distance between the beginnings of neighbouring matrices, in elements; 0: as
  // the operand's layout has it.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const GlobalTensor<C>& gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0,
                    KG_WHERE) {
    (void)enPartialSum;
    const Batch batch{batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, 0};
    each_of(batch, [&](int64_t i) {
      ::kgnpu::MatmulCall call = product(0, 0, m_, n_, enAtomic, kg_where.line);
      move_to(call, batch, i);
      to_gm(call, gm.kg_address(), enSequentialWrite);
      call.c.gm += c_place(batch, i, enSequentialWrite) * sizeof(C);
      call.wait = sync;
      run(call);
    });
  }
  template <bool sync = true>
  void IterateBatch(const LocalTensor<C>& ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0,
                    KG_WHERE) {
    (void)enSequentialWrite;
    (void)enPartialSum;
    batch_to_local({batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, 0}, ubCmatrix, enAtomic,
                   kg_where.line);
  }
  // On a cube core alone, for as many matrices as SetBatchNum says.
  template <bool sync = true, bool waitIterateBatch = false, typename Flag,
            typename = std::enable_if_t<std::is_same_v<Flag, bool>>>
  void IterateBatch(const GlobalTensor<C>& gm, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, KG_WHERE) {
    IterateBatch<sync, waitIterateBatch>(gm, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB,
                                         matrixStrideC, enPartialSum, enAtomic, kg_where);
  }
  template <bool sync = true, typename Flag, typename = std::enable_if_t<std::is_same_v<Flag, bool>>>
  void IterateBatch(const LocalTensor<C>& ubCmatrix, Flag enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, KG_WHERE) {
    IterateBatch<sync>(ubCmatrix, batch_a_, batch_b_, enSequentialWrite, matrixStrideA, matrixStrideB, matrixStrideC,
                       enPartialSum, enAtomic, kg_where);
  }
  void SetBatchNum(int32_t batchA, int32_t batchB) {
    batch_a_ = batchA;
    batch_b_ = batchB;
  }
  // batchLoop times IterateBatch, into the workspace; GetBatchTensorC gives one of them after the other.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                     const uint32_t matrixStrideC = 0, KG_WHERE) {
    (void)enSequentialWrite;
    n_batch_ = {batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, 0};
    taken_ = 0;
    for (uint32_t loop = 0; loop < batchLoop; ++loop) {
      n_batch_.loop = loop;
      each_of(n_batch_, [&](int64_t i) {
        ::kgnpu::MatmulCall call = product(0, 0, m_, n_, 0, kg_where.line);
        move_to(call, n_batch_, i);
        to_gm(call, in_workspace((int64_t{loop} * n_batch_.count() + i) * m_ * n_).kg_address(), true);
        call.wait = sync;
        run(call);
      });
    }
  }
  template <bool sync = true>
  GlobalTensor<C> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false, KG_WHERE) {
    (void)enSequentialWrite;
    kgnpu_matmul_wait(kg_where.line);
    const int64_t count = batchA > batchB ? batchA : batchB;
    return in_workspace(count * taken_++ * m_ * n_);
  }
  template <bool sync = true>
  void GetBatchTensorC(const LocalTensor<C>& c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                       KG_WHERE) {
    (void)enSequentialWrite;
    Batch batch = n_batch_;
    batch.a = batchA;
    batch.b = batchB;
    batch.loop = taken_++;
    batch_to_local(batch, c, 0, kg_where.line);
  }
  template <bool sync = true>
  GlobalTensor<C> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false, KG_WHERE) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, kg_where);
  }
  template <bool sync = true>
  void GetBatchC(const LocalTensor<C>& c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false, KG_WHERE) {
    GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite, kg_where);
  }
  void WaitIterateAll(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }
  void WaitIterateBatch(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }
  void WaitGetTensorC(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }
  void End(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }

  // Its number in REGIST_MATMUL_OBJ, from 1.
  void kg_register(uint8_t number) {
    number_ = number;
    initialised_ = true;
  }
  // On the cube core: the product that it has received.
  static void kg_serve(const ::kgnpu::MatmulWork& work) {
    if constexpr (kg_is_served) MatmulServer<MM_CB>::serve(work);
  }

 private:
  enum BiasPlace : uint8_t { kNone, kInGm, kInLocal };
  struct Operand {
    uint64_t gm = 0, scalar = 0;
    ::kgnpu::Local local;
    bool transposed = false, is_scalar = false;
  };
  struct Batch {
    uint32_t a = 1, b = 1, stride_a = 0, stride_b = 0, stride_c = 0, loop = 0;
    int64_t count() const { return a > b ? a : b; }
  };

  template <typename T>
  void set(Operand& operand, const GlobalTensor<T>& gm, bool transposed) {
    operand = {};
    operand.gm = gm.kg_address();
    operand.transposed = transposed;
    restart();
  }
  template <typename T>
  void set(Operand& operand, const LocalTensor<T>& local, bool transposed) {
    operand = {};
    operand.local = local.kg_view;
    operand.transposed = transposed;
    restart();
  }
  template <typename T>
  void set(Operand& operand, T scalar) {
    static_assert(::kgnpu::is_one_of<T, half, float>, "Matmul: a scalar operand is half or float on this device");
    operand = {};
    operand.scalar = ::kgnpu::bits_of(scalar);
    operand.is_scalar = true;
    restart();
  }
  void restart() {
    block_ = -1;
    taken_block_ = false;
  }
  static int blocks_of(int size, int base) { return base > 0 ? (size + base - 1) / base : 1; }
  int m_blocks() const { return blocks_of(m_, tiling_.baseM); }
  int n_blocks() const { return blocks_of(n_, tiling_.baseN); }
  int at() const { return block_ < 0 ? 0 : block_; }
  // Along M first unless the switches or the tiling ask for N first.
  bool n_first() const {
    return kConfig.iterateOrder == IterateOrder::ORDER_N ||
           (kConfig.iterateOrder == IterateOrder::UNDEF && tiling_.iterateOrder == 1);
  }
  int block_row() const { return (n_first() ? at() / n_blocks() : at() % m_blocks()) * tiling_.baseM; }
  int block_column() const { return (n_first() ? at() % n_blocks() : at() / m_blocks()) * tiling_.baseN; }
  int block_m() const { return m_ - block_row() < tiling_.baseM ? m_ - block_row() : tiling_.baseM; }
  int block_n() const { return n_ - block_column() < tiling_.baseN ? n_ - block_column() : tiling_.baseN; }
  static bool left_out(int row, int rows, int column, int columns) {
    return (kUpper && row >= column + columns) || (kLower && column >= row + rows);
  }

  // False: there is no block left.
  bool compute_next(bool partial, int line) {
    do {
      if (block_ + 1 >= m_blocks() * n_blocks()) return false;
      ++block_;
    } while (left_out(block_row(), block_m(), block_column(), block_n()));
    ::kgnpu::MatmulCall call = product(block_row(), block_column(), block_m(), block_n(), 0, line);
    call.stage = ::kgnpu::MatmulStage::kProduct;
    call.partial = partial;
    run(call);
    taken_block_ = false;
    return true;
  }
  template <bool sync>
  void take(int line) {
    if (!sync && taken_block_) compute_next(/*partial=*/false, line);
    taken_block_ = true;
  }
  void put(const GlobalTensor<C>& gm, uint8_t atomic, bool sequential, bool wait, int line) {
    ::kgnpu::MatmulCall call = result(atomic, line);
    to_gm(call, gm.kg_address(), sequential);
    call.wait = wait;
    run(call);
  }
  void put(const LocalTensor<C>& local, uint8_t atomic, int line) {
    ::kgnpu::MatmulCall call = result(atomic, line);
    to_local(call, local.kg_view);
    run(call);
  }

  // Elements of K that are copied to L1 at a time: those of a base block, or of `steps` blocks by the MDL templates.
  int copied_k(int steps) const {
    const bool several = kConfig.doMultiDataLoad || kConfig.doSpecialMDL;
    const int64_t copied = int64_t{tiling_.baseK} * (several ? steps : 1);
    return copied > 0 && copied < k_ ? static_cast<int>(copied) : k_;
  }
  int kept_panels(int depth) const { return k_ > 0 ? static_cast<int>(int64_t{depth} * tiling_.baseK / k_) : 0; }

  void run(::kgnpu::MatmulCall& call) {
    if constexpr (kg_is_served) {
      call.copies = MM_CB::kg_copies;
      if (kgnpu_matmul_post(&call) == 0) return;
      ::kgnpu::MatmulWork work;  // this core is the cube core
      kgnpu_matmul_receive(&work);
      kg_serve(work);
      kgnpu_matmul_done();
    } else {
      kgnpu_matmul(&call);
    }
  }
  void whole(uint64_t gm, uint8_t atomic, bool sequential, bool wait, int line) {
    ::kgnpu::MatmulCall call = product(0, 0, m_, n_, atomic, line);
    to_gm(call, gm, sequential);
    call.wait = wait;
    run(call);
  }

  // From row to row of an operand as stored, and from matrix to matrix; `rows` x `columns`: one matrix as stored.
  struct Layout {
    int64_t pitch, step;
  };
  static Layout layout_of(LayoutMode mode, int64_t b, int64_t n, int64_t g, int64_t rows, int64_t columns) {
    if (mode == LayoutMode::BSNGD) return {n * g * columns, columns};
    if (mode == LayoutMode::SBNGD) return {b * n * g * columns, columns};
    return {columns, rows * columns};
  }
  Layout a_layout() const {
    const int64_t m = tiling_.ALayoutInfoS, k = tiling_.ALayoutInfoD;
    if (A_TYPE::layout == LayoutMode::NONE || A_TYPE::layout == LayoutMode::NORMAL)
      return layout_of(A_TYPE::layout, 1, 1, 1, a_.transposed ? org_ka_ : org_m_, a_.transposed ? org_m_ : org_ka_);
    return layout_of(A_TYPE::layout, tiling_.ALayoutInfoB, tiling_.ALayoutInfoN, tiling_.ALayoutInfoG, m, k);
  }
  Layout b_layout() const {
    if (B_TYPE::layout == LayoutMode::NONE || B_TYPE::layout == LayoutMode::NORMAL)
      return layout_of(B_TYPE::layout, 1, 1, 1, b_.transposed ? org_n_ : org_kb_, b_.transposed ? org_kb_ : org_n_);
    return layout_of(B_TYPE::layout, tiling_.BLayoutInfoB, tiling_.BLayoutInfoN, tiling_.BLayoutInfoG,
                     tiling_.BLayoutInfoS, tiling_.BLayoutInfoD);
  }
  Layout c_layout() const {
    if (C_TYPE::layout == LayoutMode::NONE || C_TYPE::layout == LayoutMode::NORMAL)
      return layout_of(C_TYPE::layout, 1, 1, 1, org_m_, org_kc_ != 0 ? org_kc_ : org_n_);
    return layout_of(C_TYPE::layout, tiling_.CLayoutInfoB, tiling_.CLayoutInfoN, tiling_.CLayoutInfoG,
                     tiling_.CLayoutInfoS1, tiling_.CLayoutInfoS2);
  }
  // Matrix i of an operand: in BSNGD the matrices of the next B begin behind all rows of this one.
  static int64_t matrix(LayoutMode mode, const Layout& layout, int64_t i, int64_t heads, int64_t rows, int64_t stride) {
    if (stride != 0) return i * stride;
    if (mode != LayoutMode::BSNGD || heads <= 0) return i * layout.step;
    return i / heads * rows * layout.pitch + i % heads * layout.step;
  }
  template <typename Do>
  static void each_of(const Batch& batch, Do&& once) {
    for (int64_t i = 0; i < batch.count(); ++i) once(i);
  }
  // Product i of a batch: its operands and its bias.
  void move_to(::kgnpu::MatmulCall& call, const Batch& batch, int64_t i) const {
    const int64_t count = batch.count();
    const int64_t a = batch.loop * int64_t{batch.a} + (batch.a > 0 ? i / (count / batch.a) : 0);
    const int64_t b = batch.loop * int64_t{batch.b} + (batch.b > 0 ? i / (count / batch.b) : 0);
    call.a.gm +=
        ::kgnpu::bytes_of<A>(matrix(A_TYPE::layout, a_layout(), a, int64_t{tiling_.ALayoutInfoN} * tiling_.ALayoutInfoG,
                                    tiling_.ALayoutInfoS, batch.stride_a));
    call.b.gm +=
        ::kgnpu::bytes_of<B>(matrix(B_TYPE::layout, b_layout(), b, int64_t{tiling_.BLayoutInfoN} * tiling_.BLayoutInfoG,
                                    tiling_.BLayoutInfoS, batch.stride_b));
    if (bias_ == kInGm && kConfig.isBiasBatch) call.bias.gm += sizeof(Bias) * (batch.loop * count + i) * n_;
  }
  int64_t c_place(const Batch& batch, int64_t i, bool sequential) const {
    if (sequential && batch.stride_c == 0) return i * m_ * n_;
    return matrix(C_TYPE::layout, c_layout(), i, int64_t{tiling_.CLayoutInfoN} * tiling_.CLayoutInfoG,
                  tiling_.CLayoutInfoS1, batch.stride_c);
  }
  void batch_to_local(const Batch& batch, const LocalTensor<C>& local, uint8_t atomic, int line) {
    each_of(batch, [&](int64_t i) {
      ::kgnpu::MatmulCall call = product(0, 0, m_, n_, atomic, line);
      move_to(call, batch, i);
      const LocalTensor<C> part = local[static_cast<uint32_t>(batch.stride_c != 0 ? i * batch.stride_c : i * m_ * n_)];
      to_local(call, part.kg_view);
      run(call);
    });
  }
  GlobalTensor<C> in_workspace(int64_t elements) const {
    GlobalTensor<C> tensor;
    tensor.SetGlobalBuffer((__gm__ C*)workspace_ + elements);
    return tensor;
  }
  int c_pitch() const { return static_cast<int>(c_layout().pitch); }

  // As the runtime has it. `whole_*`: the matrix in GM; a local operand contains only the part.
  static void describe(::kgnpu::MatrixPlace& place, const Operand& operand, CubeFormat format, int rows, int columns,
                       int64_t pitch) {
    place.gm = operand.gm;
    place.local = operand.gm == 0 && !operand.is_scalar ? &operand.local : nullptr;
    place.value = operand.scalar;
    place.format = operand.is_scalar ? ::kgnpu::MatrixFormat::kScalar : static_cast<::kgnpu::MatrixFormat>(format);
    place.transposed = operand.transposed;
    place.rows = operand.transposed ? columns : rows;
    place.columns = operand.gm != 0 && pitch != 0 ? pitch : operand.transposed ? rows : columns;
  }
  ::kgnpu::MatmulCall product(int row, int column, int m, int n, uint8_t atomic, int line) const {
    ::kgnpu::MatmulCall call;
    call.m = m;
    call.n = n;
    call.k = k_;
    const bool a_in_gm = a_.gm != 0, b_in_gm = b_.gm != 0;
    call.a.type = ::kgnpu::TypeOf<A>::value;
    describe(call.a, a_, A_TYPE::format, a_in_gm ? org_m_ : m_, a_in_gm ? org_ka_ : k_,
             A_TYPE::layout == LayoutMode::NONE ? 0 : a_layout().pitch);
    call.a.row = row;
    call.b.type = ::kgnpu::TypeOf<B>::value;
    describe(call.b, b_, B_TYPE::format, b_in_gm ? org_kb_ : k_, b_in_gm ? org_n_ : n_,
             B_TYPE::layout == LayoutMode::NONE ? 0 : b_layout().pitch);
    call.b.column = column;
    call.c.type = ::kgnpu::TypeOf<C>::value;
    call.c.format = static_cast<::kgnpu::MatrixFormat>(C_TYPE::format);
    call.bias.type = ::kgnpu::TypeOf<Bias>::value;
    call.bias.gm = bias_ == kInGm ? bias_gm_ : 0;
    call.bias.local = bias_ == kInLocal ? &bias_local_ : nullptr;
    call.bias.columns = n_;
    call.bias.rows = 1;
    call.bias.column = column;
    call.c.row = row;
    call.c.column = column;
    call.base_m = tiling_.baseM;
    call.base_n = tiling_.baseN;
    call.base_k = tiling_.baseK;
    call.copied_ka = copied_k(tiling_.stepKa);
    call.copied_kb = copied_k(tiling_.stepKb);
    call.kept_a = kept_panels(tiling_.depthA1);
    call.kept_b = kept_panels(tiling_.depthB1);
    call.atomic = atomic;
    call.scale = scale_;
    call.scales = scales_;
    call.quantisation = static_cast<uint8_t>(quantisation());
    call.object = (uint64_t)this;
    call.registered = number_;
    call.initialised = initialised_;
    call.user_info = user_info_;
    call.self_data = self_data_;
    call.line = line;
    return call;
  }
  ::kgnpu::MatmulCall result(uint8_t atomic, int line) const {
    ::kgnpu::MatmulCall call = product(block_row(), block_column(), block_m(), block_n(), atomic, line);
    call.stage = ::kgnpu::MatmulStage::kResult;
    return call;
  }
  void to_gm(::kgnpu::MatmulCall& call, uint64_t gm, bool sequential) const {
    call.c.gm = gm;
    call.c.rows = sequential ? call.m : org_m_;
    call.c.columns = sequential ? call.n : c_pitch();
    if (sequential) call.c.row = call.c.column = 0;
  }
  static void to_local(::kgnpu::MatmulCall& call, const ::kgnpu::Local& local) {
    call.c.local = &local;
    call.c.row = call.c.column = 0;
    call.c.rows = call.m;
    call.c.columns = call.n;
  }
  ::QuantMode_t quantisation() const {
    constexpr bool integers = kIntegers, bytes = sizeof(C) == 1;
    if constexpr (integers && std::is_same_v<C, half>) return scales_ != 0 ? VDEQF16 : DEQF16;
    if constexpr (integers && bytes) return scales_ != 0 ? VREQ8 : REQ8;
    if constexpr (!integers && bytes) return scales_ != 0 ? VQF322B8_PRE : QF322B8_PRE;
    if constexpr (!integers && std::is_same_v<C, half>) return F322F16;
    if constexpr (!integers && std::is_same_v<C, bfloat16_t>) return F322BF16;
    return NoQuant;
  }

  TCubeTiling tiling_;
  int org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
  int m_ = 0, n_ = 0, k_ = 0;
  int block_ = -1;
  bool taken_block_ = false;  // since it was computed
  uint32_t batch_a_ = 1, batch_b_ = 1, taken_ = 0;
  Batch n_batch_;
  uint64_t bias_gm_ = 0, scale_ = 0, scales_ = 0, workspace_ = 0, user_info_ = 0, self_data_ = 0;
  Operand a_, b_;
  ::kgnpu::Local bias_local_;
  BiasPlace bias_ = kNone;
  uint8_t sub_block_ = 0, number_ = 0;
  bool initialised_ = false;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto& = MM_CFG, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;

}  // namespace AscendC

namespace AscendC::kg_detail {
template <typename A, typename B>
constexpr A ceil_div(A value, B unit) {
  return static_cast<A>((value + unit - 1) / unit);
}
}  // namespace AscendC::kg_detail

namespace matmul {
using namespace AscendC;
// Of a number and a unit. A kernel's own function of this name, whatever its parameters, comes before it.
template <typename... Two>
constexpr auto CeilDiv(Two... two) {
  return AscendC::kg_detail::ceil_div(two...);
}
}  // namespace matmul
