#pragma once

#include "abi.h"

// EnQue and DeQue with two positions chosen by the caller (EnQue<GM, VECIN>, DeQue<VECOUT, GM>): they name the pipes to
// order.

extern "C" {
void kgnpu_queue_enqueue_between(const kgnpu::Handle* queue, const kgnpu::Local* tensor, int from, int to, int line);
void kgnpu_queue_dequeue_between(const kgnpu::Handle* queue, kgnpu::Local* out, int from, int to, int line);
}
