/** What the plugin does, without the protocol around it. */

/** A word and how often it occurs. */
export interface CountedWord {
  word: string;
  count: number;
}

/** Counts the words of a text, most frequent first. */
export function countWords(text: string, top = 10): { total: number; words: CountedWord[] } {
  const counts = new Map<string, number>();
  const found = text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, top);
  return { total: found.length, words };
}
