#pragma once

#include "dataset/cot/modules/graph.h"

namespace kg::dataset::cot::modules {

// One graph for each loop nest.
Graph flat_graph(Draw& draw);           // elements in any order
Graph single_graph(Draw& draw);         // elements: one operator
Graph compared_graph(Draw& draw);       // elements: comparisons, joined, or that choose
Graph tree_graph(Draw& draw);           // elements: formulas of simple operators
Graph row_tree_graph(Draw& draw);       // rows: the same with reductions
Graph optimiser_graph(Draw& draw);      // elements: one step of an optimiser, with its states
Graph outputs_graph(Draw& draw);        // elements: several results
Graph total_graph(Draw& draw);          // all elements to one number
Graph total_again_graph(Draw& draw);    // all elements to one number, which then changes all of them
Graph row_graph(Draw& draw);            // rows of the last axes
Graph affine_norm_graph(Draw& draw);    // norms of rows with weights
Graph norm_graph(Draw& draw);           // norms of rows with their statistics
Graph row_loss_graph(Draw& draw);       // rows to numbers, these to their mean
Graph row_outputs_graph(Draw& draw);    // rows: gradients and several results
Graph halves_graph(Draw& draw);         // halves of an axis
Graph middle_reduce_graph(Draw& draw);  // over an axis that is not the last
Graph middle_again_graph(Draw& draw);   // the same, and back to all elements
Graph channel_graph(Draw& draw);        // statistics of a channel over batch and space; broadcasts of one
Graph group_graph(Draw& draw);          // statistics of groups of channels
Graph scan_graph(Draw& draw);           // running sums and products along the last axis
Graph column_scan_graph(Draw& draw);    // along another axis
Graph window_graph(Draw& draw);         // windows of one axis
Graph plane_window_graph(Draw& draw);   // windows of two and three axes
Graph pick_graph(Draw& draw);           // rows and elements selected by an index

}  // namespace kg::dataset::cot::modules
