// Lakes and rivers of Natural Earth, out of a topology that has more.

// waterFrom is the topology with its lakes and rivers alone.
export function waterFrom({ type, transform, arcs, objects: { lakes, rivers } }) {
  const numbers = new Map(); // of the arcs that are left, by those that they had
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
