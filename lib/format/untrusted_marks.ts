/**
 * Marks around text written by strangers, so that a reader can tell content from instruction
 * (spec 11 §8).
 *
 * A marked string is `TAG text TAG`. The tag is a short upper-case word that occurs nowhere in the
 * response, so nothing inside the text can close the mark, and taking the marks off is exact. Such
 * a word costs one token on either side.
 *
 * @module
 */

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from "../json/mod.ts";
import { jsonText } from "./cell_text.ts";
import { visibleText } from "./visible_text.ts";

/** Walkers go no deeper; what lies below stays as it is. */
const DEPTH_LIMIT = 1_000;

/** Words that are one token alone and after a space. */
const TAG_WORDS: readonly string[] = (
  "ABI ADC AES ARP ASN BCM BMI BSD BST CBC CBD CCC CEL CHR CID CLK CMP CPF CRC CRM CRT " +
  "CSI CSR CTL CVE DAC DAO DBG DDR DEM DES DFS DLL DMA DNS DOC DOM DRV DSL DSP DTO EFI " +
  "EIF EPS ERC ERP ESC ESP ETA ETF FFT FIN FLT FML FPS FTP GBP GCC GIS GIT GNU GPL GPU " +
  "GST GTK GUI HAL HCI HDR HSV HUD ICO ICT IDD IID IMG INC IOC IPC IPP IRC IRQ ISR JNI " +
  "JWT LCD LTE MDB MLS MMC MPI MRI NAS NBC NIC NPC NST OBJ OCI OCR OID ORM OSC OTP PBS " +
  "PCI PCM PCR PDO PGA PHY PID PIO PLL PMC PNG PPP PRI PTR PWM RDD RFC RNA ROI ROM RPC " +
  "RSA RSS RTC RTL SCI SCP SCR SDL SEM SEQ SHA SID SIM SKU SMS SOC SPI SQL SRC SSH SSL " +
  "STM STR SVG TCP TED TLS TMP UDP UID UIL URI USB UTF VAL VID VPN WWW XYZ"
)
  .split(" ");

/** What {@link chooseUntrustedTag} needs. */
export interface TagChoice {
  /** A random integer, fresh for every response. */
  random: number;
}

/** A tag that occurs nowhere in `value`. Deterministic for a given random number. */
export function chooseUntrustedTag(value: JsonValue, choice: TagChoice): string {
  const text = jsonText(value);
  const start = Math.abs(Math.trunc(choice.random));
  for (let step = 0; step < TAG_WORDS.length; step++) {
    const word = TAG_WORDS[(start + step) % TAG_WORDS.length] as string;
    if (!text.includes(word)) return word;
  }
  // Text that names every word was written to defeat the marks; digits are as good, only dearer.
  for (let number = start;; number++) {
    const word = `UNTRUSTED${number}`;
    if (!text.includes(word)) return word;
  }
}

/** Puts every string at or below the dot paths between marks; arrays are transparent. */
export function markUntrusted(
  value: JsonValue,
  marks: { paths: readonly string[]; tag: string },
): JsonValue {
  return markAt(value, { paths: marks.paths, tag: marks.tag, depth: 0 });
}

/**
 * What is left of a dot path below a member, "" when it ends there; undefined when it does not lead
 * through it. A key that itself holds dots stands for several segments.
 */
export function belowKey(path: string, key: string): string | undefined {
  if (path === key) return "";
  return path.startsWith(`${key}.`) ? path.slice(key.length + 1) : undefined;
}

interface MarkPosition {
  paths: readonly string[];
  tag: string;
  depth: number;
}

function markAt(value: JsonValue, at: MarkPosition): JsonValue {
  if (at.depth > DEPTH_LIMIT || at.paths.length === 0) return value;
  if (at.paths.includes("")) return markBelow(value, at.tag, at.depth);
  const deeper = { ...at, depth: at.depth + 1 };
  if (Array.isArray(value)) return value.map((element) => markAt(element, deeper));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const paths = at.paths.map((path) => belowKey(path, key)).filter((path) => path !== undefined);
    setOwn(copy, key, markAt(member, { ...deeper, paths }));
  }
  return copy;
}

function markBelow(value: JsonValue, tag: string, depth: number): JsonValue {
  if (depth > DEPTH_LIMIT) return value;
  if (typeof value === "string") {
    return value === "" ? value : `${tag} ${visibleText(value)} ${tag}`;
  }
  if (Array.isArray(value)) return value.map((element) => markBelow(element, tag, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    setOwn(copy, key, markBelow(member, tag, depth + 1));
  }
  return copy;
}

/** Takes the marks off every string of a value. */
export function unmarkText(value: JsonValue, tag: string): JsonValue {
  return unmarkAt(value, tag, 0);
}

function unmarkAt(value: JsonValue, tag: string, depth: number): JsonValue {
  if (depth > DEPTH_LIMIT) return value;
  if (typeof value === "string") {
    const marked = value.startsWith(`${tag} `) && value.endsWith(` ${tag}`) &&
      value.length >= 2 * tag.length + 2;
    return marked ? value.slice(tag.length + 1, -(tag.length + 1)) : value;
  }
  if (Array.isArray(value)) return value.map((element) => unmarkAt(element, tag, depth + 1));
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    setOwn(copy, key, unmarkAt(member, tag, depth + 1));
  }
  return copy;
}
