// Builds the program of steps that makes class streams from the eight bit planes of the bytes.
//
// The simple method: for each class, and for each byte in it, AND the eight planes or their complements; then
// OR the results. This code differs in three ways: (1) a byte is split into a high and a low nibble, whose
// streams are shared; (2) bytes that belong to the same classes form one atom; (3) a class is the OR of a few
// parts, each an atom or an earlier class (greedy set cover), or the complement of such an OR if the class
// has more than half of all atoms.
#include <algorithm>
#include <bit>
#include <bitset>
#include <map>
#include <tuple>
#include <weft/scan/cpu/bit_stream.hpp>

namespace weft::scan_detail {
namespace {

using atom_set = std::bitset<256>;
using node_id = std::uint32_t;

// An operation of the program with its operands, which are nodes, too.
struct node {
  stream_operation operation;
  node_id a, b, c;
  std::uint32_t words = 0, address = 0;
  bool placed = false;
};

// Builds the nodes of the program; equal operations share one node.
class step_builder {
public:
  static constexpr node_id zero = 0, planes = 1, first = 9;

  step_builder() : nodes_(first) {}

  node_id make(stream_operation operation, node_id a, node_id b = zero, node_id c = zero) {
    const auto [at, is_new] =
        made_.try_emplace(std::tuple(operation, a, b, c), static_cast<node_id>(nodes_.size()));
    if (is_new) nodes_.push_back({operation, a, b, c});
    return at->second;
  }

  node_id complement(node_id a) { return make(stream_operation::not_a, a); }

  node_id join(const std::vector<node_id>& parts) {
    if (parts.empty()) return zero;
    node_id all = parts[0];
    std::size_t i = 1;
    if (parts.size() % 2 == 0) all = make(stream_operation::either, all, parts[i++]);
    for (; i < parts.size(); i += 2) all = make(stream_operation::any_of_three, all, parts[i], parts[i + 1]);
    return all;
  }

  node_id bytes(const byte_class& set) {
    std::map<unsigned, unsigned> highs; // for each set of low nibbles, the high nibbles that it may follow
    for (unsigned h = 0; h < 16; ++h)
      if (const unsigned low = (set.bits[h >> 2] >> ((h & 3) * 16)) & 0xffff) highs[low] |= 1U << h;
    node_id all = zero;
    for (const auto& [low, high] : highs) {
      const node_id h = nibbles(4, high), l = nibbles(0, low);
      all = all == zero ? make(stream_operation::both, h, l) : make(stream_operation::both_or, h, l, all);
    }
    return all;
  }

  std::vector<node>& nodes() { return nodes_; }

private:
  node_id nibbles(unsigned plane, unsigned mask) {
    const bool flip = std::popcount(mask) > 8;
    std::vector<node_id> parts;
    for (unsigned v = 0; v < 16; ++v)
      if (((flip ? ~mask : mask) >> v) & 1)
        parts.push_back(make(stream_operation::both, pair(plane + 2, v >> 2), pair(plane, v & 3)));
    return flip ? complement(join(parts)) : join(parts);
  }
  node_id pair(unsigned plane, unsigned v) {
    return make(stream_operation::both, literal(plane + 1, v >> 1), literal(plane, v & 1));
  }
  node_id literal(unsigned plane, unsigned value) {
    return value != 0 ? planes + plane : complement(planes + plane);
  }

  std::vector<node> nodes_;
  std::map<std::tuple<stream_operation, node_id, node_id, node_id>, node_id> made_;
};

// Atoms are the largest sets of bytes that belong to the same classes; `classes` has each class as a set of
// atoms.
struct atoms {
  std::vector<byte_class> bytes;
  std::vector<atom_set> classes;
};

atoms find_atoms(std::span<const std::uint32_t> classes, const bit_stream_plan& plan) {
  atoms result;
  result.classes.resize(classes.size());
  std::map<std::vector<bool>, std::size_t> known;
  for (unsigned b = 0; b < 256; ++b) {
    std::vector<bool> signature;
    for (const std::uint32_t c : classes)
      signature.push_back(plan.classes[c].has(static_cast<unsigned char>(b)));
    const std::size_t atom = known.try_emplace(signature, known.size()).first->second;
    result.bytes.resize(known.size());
    result.bytes[atom].bits[b >> 6] |= std::uint64_t{1} << (b & 63);
    for (std::size_t i = 0; i < classes.size(); ++i)
      if (signature[i]) result.classes[i].set(atom);
  }
  return result;
}

// Builds one node for each class, smaller classes first so that larger ones can use them.
std::vector<node_id> build_classes(const atoms& all, step_builder& builder) {
  std::vector<std::pair<atom_set, node_id>> ready;
  std::vector<node_id> atom_nodes(all.bytes.size(), step_builder::zero), result(all.classes.size());
  atom_set everything;
  for (std::size_t i = 0; i < all.bytes.size(); ++i) everything.set(i);
  std::vector<std::size_t> order(all.classes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all.classes[a].count() < all.classes[b].count();
  });
  for (const std::size_t i : order) {
    const bool flip = all.classes[i].count() * 2 > all.bytes.size();
    const atom_set target = flip ? everything & ~all.classes[i] : all.classes[i];
    atom_set rest = target;
    std::vector<node_id> parts;
    while (rest.any()) {
      std::size_t best = 1;
      const std::pair<atom_set, node_id>* part = nullptr;
      for (const auto& r : ready)
        if ((r.first & ~target).none() && (r.first & rest).count() > best)
          best = (r.first & rest).count(), part = &r;
      if (part != nullptr) {
        parts.push_back(part->second);
        rest &= ~part->first;
        continue;
      }
      const std::size_t atom = rest._Find_first();
      if (atom_nodes[atom] == step_builder::zero) atom_nodes[atom] = builder.bytes(all.bytes[atom]);
      parts.push_back(atom_nodes[atom]);
      rest.reset(atom);
    }
    result[i] = flip ? builder.complement(builder.join(parts)) : builder.join(parts);
    ready.emplace_back(all.classes[i], result[i]);
  }
  return result;
}

// Writes plan.steps and the arena's layout for these classes, and returns the addresses of their streams.
// halos[i] is the number of halo words that class i needs.
std::vector<std::uint32_t> build_stream_steps(std::span<const std::uint32_t> classes,
                                              std::span<const std::uint32_t> halos, bit_stream_plan& plan) {
  step_builder builder;
  std::vector<node_id> of_class = build_classes(find_atoms(classes, plan), builder);
  for (node_id& id : of_class) // a class that is a constant or a plane still needs its own stream
    if (id < step_builder::first) id = builder.make(stream_operation::either, id, step_builder::zero);
  std::vector<node>& nodes = builder.nodes();
  for (std::size_t i = 0; i < of_class.size(); ++i) nodes[of_class[i]].words = tile_words + halos[i];
  for (node_id id = static_cast<node_id>(nodes.size()); id-- > step_builder::first;)
    for (const node_id from : {nodes[id].a, nodes[id].b, nodes[id].c})
      nodes[from].words = std::max(nodes[from].words, nodes[id].words);
  std::uint32_t next = 0;
  const auto allocate = [&](node_id id, std::uint32_t words, std::uint32_t moving) {
    nodes[id].address = next | moving;
    nodes[id].placed = true;
    next += words;
  };
  allocate(step_builder::zero, step_words, 0);
  plan.zero_words = nodes[step_builder::zero].address;
  plan.plane_words = next;
  for (node_id p = 0; p < 8; ++p)
    allocate(step_builder::planes + p, tile_words + max_halo, stream_step::moving);
  next += tile_words + max_halo; // the plane of sequence starts
  std::vector<std::uint32_t> addresses;
  for (const node_id id : of_class) {
    allocate(id, nodes[id].words, stream_step::moving);
    addresses.push_back(nodes[id].address & ~stream_step::moving);
  }
  for (node_id id = step_builder::first; id < nodes.size(); ++id)
    if (!nodes[id].placed) allocate(id, step_words, 0);
  plan.arena_words = next;
  for (node_id id = step_builder::first; id < nodes.size(); ++id) {
    const node& n = nodes[id];
    const auto at = [&](node_id from) { return nodes[from].address; };
    plan.steps.push_back({n.operation, n.address, at(n.a), at(n.b), at(n.c), n.words});
  }
  std::stable_sort(plan.steps.begin(), plan.steps.end(),
                   [](const stream_step& a, const stream_step& b) { return a.words > b.words; });
  return addresses;
}

// Assigns streams, with the halos they need, to the classes that the variants use, and sets the addresses of
// the elements.
void lay_out_streams(bit_stream_plan& plan) {
  const std::vector<stream_check>& placed = plan.filter_elements;
  const std::size_t classes = plan.classes.size();
  std::vector<std::uint32_t> streams, halo_of(classes + 1, 0), address(classes + 1, 0), halos;
  std::vector<bool> used(classes + 1, false);
  for (const stream_check& e : placed) {
    used[e.cls] = true;
    halo_of[e.cls] = std::max(halo_of[e.cls], (e.offset + step_words - 1) / step_words * step_words);
  }
  for (std::uint32_t c = 0; c < classes; ++c)
    if (used[c]) streams.push_back(c), halos.push_back(halo_of[c]);
  const std::vector<std::uint32_t> at = build_stream_steps(streams, halos, plan);
  for (std::size_t i = 0; i < streams.size(); ++i) address[streams[i]] = at[i];
  address[classes] = plan.plane_words + 8 * (tile_words + max_halo);
  for (const stream_check& e : placed) plan.elements.push_back(address[e.cls] + e.offset);
  // Sorts the variants so that neighbours share streams, which are then still in the nearest cache.
  const auto key = [&](const stream_variant& v) {
    const stream_check* e = &placed[v.first_element];
    return std::tuple(e[0].cls, v.filters > 1 ? e[1].cls : 0, v.filters, v.filters > 2 ? e[2].cls : 0);
  };
  std::stable_sort(plan.variants.begin(), plan.variants.end(),
                   [&](const stream_variant& a, const stream_variant& b) { return key(a) < key(b); });
}

} // namespace

bit_stream_plan compile_bit_stream(std::span<const motif> motifs, alphabet letters, edge which) {
  bit_stream_plan plan = plan_variants(motifs, letters, which, stream_costs());
  lay_out_streams(plan);
  return plan;
}

} // namespace weft::scan_detail
