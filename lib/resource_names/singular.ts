/** One member of a collection, by the name of the collection. */

const IRREGULAR_SINGULARS: Readonly<Record<string, string>> = {
  people: "person",
  aliases: "alias",
  statuses: "status",
  indexes: "index",
  indices: "index",
  analyses: "analysis",
  searchanalytics: "searchanalytics",
  analytics: "analytics",
  news: "news",
  series: "series",
  settings: "setting",
};

/** Singular of an English plural as it occurs in resource names. */
export function singular(word: string): string {
  const irregular = IRREGULAR_SINGULARS[word];
  if (irregular !== undefined) return irregular;
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:ss|ch|sh|x|zz)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && /[^sui]s$/.test(word)) return word.slice(0, -1);
  return word;
}
