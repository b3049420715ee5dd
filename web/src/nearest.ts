// The known names that are most like an unknown one. Pure functions.
const pairsIn = (text: string): Set<string> => {
  const letters = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return new Set(Array.from({length: Math.max(0, letters.length - 1)}, (_, i) => letters.slice(i, i + 2)));
};

// Dice's coefficient of the pairs of adjacent letters: 1 for equal names, 0 without a common pair.
function likeness(a: string, b: string): number {
  const [of, other] = [pairsIn(a), pairsIn(b)];
  const common = [...of].filter((pair) => other.has(pair)).length;
  return (2 * common) / (of.size + other.size || 1);
}

// Returns at most `most` names, the most alike first. Without any common pair, returns the first names.
export const nearest = (name: string, names: string[], most = 5): string[] =>
  [...new Set(names)].map((it) => ({it, like: likeness(name, it)})).sort((a, b) => b.like - a.like).slice(0, most)
    .map(({it}) => it);
