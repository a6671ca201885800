#include "export/symbol_graph.h"

#include <algorithm>

namespace qanat {
namespace {

// Symbols and where they stood; both [n].
struct Placed {
  GraphValue ids;
  GraphValue places;
};

Placed keep(GraphBuilder& graph, const Placed& all, const GraphValue& wanted) {
  const OnnxAttribute axis{"axis", std::int64_t{0}};
  return {graph.op("Compress", {all.ids, wanted}, {axis}),
          graph.op("Compress", {all.places, wanted}, {axis})};
}

GraphValue range(GraphBuilder& graph, const GraphValue& count) {  // [1] to [count]
  return graph.op("Range", {graph.whole(0), graph.op("Squeeze", {count}), graph.whole(1)});
}

// A value before the first of [n], and the last one away: what stands before each.
GraphValue before(GraphBuilder& graph, const GraphValue& first, const GraphValue& all) {
  return graph.join({first, graph.slice(all, 0, -1, 0)}, 0);
}

// Ids above silence and below `end`.
GraphValue are_symbols(GraphBuilder& graph,
                       const SymbolPlan& plan,
                       const GraphValue& ids,
                       std::int64_t end) {
  return graph.op("And",
                  {graph.op("Greater", {ids, graph.whole(plan.silence)}),
                   graph.op("Less", {ids, graph.whole(end)})});
}

Placed compose(GraphBuilder& graph, const SymbolPlan& plan, const Placed& given) {
  // A blank at the end: nothing is empty, and the last one has something behind it.
  const GraphValue blank = graph.wholes({0});
  const Placed all{graph.join({given.ids, blank}, 0), graph.join({given.places, blank}, 0)};
  std::vector<std::int64_t> marks;
  for (const Composition& one : plan.compositions) {
    if (std::ranges::find(marks, one.mark) == marks.end()) {
      marks.push_back(one.mark);
    }
  }
  if (marks.empty()) {
    return keep(graph, all, are_symbols(graph, plan, all.ids, plan.vocabulary));
  }
  const std::int64_t kinds = std::ssize(marks) + 1;  // the first: no mark
  std::vector<std::int64_t> kind_of(static_cast<std::size_t>(plan.ids), 0);
  std::vector<std::int64_t> composed(static_cast<std::size_t>(plan.ids * kinds), 0);
  for (const Composition& one : plan.compositions) {
    const std::int64_t kind = std::ranges::find(marks, one.mark) - marks.begin() + 1;
    kind_of[static_cast<std::size_t>(one.mark)] = kind;
    composed[static_cast<std::size_t>(one.letter * kinds + kind)] = one.composed;
  }
  const GraphValue behind = graph.join({graph.slice(all.ids, 1, kToTheEnd, 0), blank}, 0);
  const GraphValue kind = graph.gather(graph.wholes(kind_of), behind, 0);
  const GraphValue both = graph.gather(
      graph.wholes(composed), graph.add(graph.multiply(all.ids, graph.whole(kinds)), kind), 0);
  const GraphValue joined = graph.op("Greater", {both, graph.whole(0)});
  const GraphValue ids = graph.op("Where", {joined, both, all.ids});
  const GraphValue used =
      before(graph, graph.truths({false}), joined);  // a mark that is in its letter
  const GraphValue wanted =
      graph.op("And", {graph.op("Not", {used}), are_symbols(graph, plan, ids, plan.vocabulary)});
  return keep(graph, {ids, all.places}, wanted);
}

// One space between words, none at the ends.
Placed trim(GraphBuilder& graph, const SymbolPlan& plan, const Placed& given) {
  const GraphValue space = graph.whole(plan.space);
  const GraphValue blank = graph.wholes({0});
  const Placed all{graph.join({given.ids, blank}, 0), graph.join({given.places, blank}, 0)};
  const GraphValue is_space = graph.op("Equal", {all.ids, space});
  const GraphValue behind_space = before(graph, graph.truths({true}), is_space);
  const GraphValue needless = graph.op("And", {is_space, behind_space});
  const Placed single = keep(graph,
                             all,
                             graph.op("And",
                                      {graph.op("Not", {needless}),
                                       graph.op("Greater", {all.ids, graph.whole(plan.silence)})}));
  const GraphValue last = graph.slice(single.ids, -1, kToTheEnd, 0);  // [1], or [0] of nothing
  const GraphValue spaces =
      graph.sum(graph.cast(graph.op("Equal", {last, space}), OnnxType::i64), 0);  // [1]
  const GraphValue end = graph.subtract(graph.length(single.ids, 0), spaces);
  return {graph.slice(single.ids, blank, end, 0), graph.slice(single.places, blank, end, 0)};
}

GraphValue language(GraphBuilder& graph, const SymbolPlan& plan, const GraphValue& ids) {
  if (plan.languages.size() < 2) {
    return graph.wholes({plan.languages.front()});
  }
  const GraphValue score = graph.sum(graph.gather(graph.wholes(plan.scores), ids, 0), 0);  // [1]
  return graph.op("Where",
                  {graph.op("Greater", {score, graph.whole(0)}),
                   graph.wholes({plan.languages[1]}),
                   graph.wholes({plan.languages[0]})});
}

}  // namespace

SymbolValues read_symbols(GraphBuilder& graph,
                          const SymbolPlan& plan,
                          const GraphValue& input,
                          const GraphValue& lengths) {
  SymbolValues values;
  values.ids = graph.reshape(input, {-1});
  values.count = graph.op("Min", {lengths, graph.length(values.ids, 0)});
  const Placed sent{graph.slice(values.ids, graph.wholes({0}), values.count, 0),
                    range(graph, values.count)};
  const Placed known = keep(graph, sent, are_symbols(graph, plan, sent.ids, plan.ids));
  const Placed symbols = trim(graph, plan, compose(graph, plan, known));
  values.places = symbols.places;
  const GraphValue silence = graph.wholes({plan.silence});
  values.tokens =
      graph.join({language(graph, plan, symbols.ids), silence, symbols.ids, silence}, 0);
  return values;
}

GraphValue place_durations(GraphBuilder& graph,
                           const SymbolValues& symbols,
                           const GraphValue& durations) {
  const GraphValue count = graph.length(symbols.ids, 0);
  const GraphValue zeros = graph.op("Expand", {graph.whole(0), count});
  const GraphValue inside = graph.op("ScatterElements",
                                     {zeros, symbols.places, graph.slice(durations, 2, -1, 0)},
                                     {{"axis", std::int64_t{0}}});
  const GraphValue front = graph.sum(graph.slice(durations, 0, 2, 0), 0);
  const GraphValue back = graph.slice(durations, -1, kToTheEnd, 0);
  const GraphValue place = range(graph, count);
  const GraphValue none = graph.wholes({0});
  const GraphValue at_front =
      graph.op("Where", {graph.op("Equal", {place, graph.whole(0)}), front, none});
  const GraphValue last = graph.subtract(symbols.count, graph.wholes({1}));
  const GraphValue at_back = graph.op("Where", {graph.op("Equal", {place, last}), back, none});
  const GraphValue all = graph.add(graph.add(inside, at_front), at_back);
  return graph.reshape(graph.cast(all, OnnxType::f32), {1, -1});
}

}  // namespace qanat
