// Extracts lakes and rivers from a topology of Natural Earth.

// waterFrom returns the topology with only its lakes and rivers.
export function waterFrom({ type, transform, arcs, objects: { lakes, rivers } }) {
  const numbers = new Map(); // new numbers of the remaining arcs, by their old numbers
  const renumbered = (arc) => {
    if (Array.isArray(arc)) return arc.map(renumbered);
    const old = arc < 0 ? ~arc : arc; // backwards
    if (!numbers.has(old)) numbers.set(old, numbers.size);
    const now = numbers.get(old);
    return arc < 0 ? ~now : now;
  };
  const kept = ({ type, geometries }) => ({ type, geometries: geometries.map(({ type, arcs }) => ({ type, arcs: renumbered(arcs) })) });
  const objects = { lakes: kept(lakes), rivers: kept(rivers) };
  return { type, transform, objects, arcs: [...numbers.keys()].map((i) => arcs[i]) };
}
