/** Contents of the seeded presentations, built when first opened. */

import { type NativeFile, opaqueId, type Prose, proseOf } from "../drive/mod.ts";
import type { Person, SeededRandom } from "../service.ts";
import {
  type Element,
  type Layout,
  LAYOUTS,
  placeholderElements,
  type Slide,
  type StoredPresentation,
} from "./model.ts";

/** What seeded contents are made from. */
export interface ContentSeed {
  content: SeededRandom;
  people: readonly Person[];
}

/** The content of a seeded presentation. */
export function seededPresentation(
  seed: ContentSeed,
  file: NativeFile,
): StoredPresentation {
  const random = seed.content.fork(`presentation ${file.seeded ?? file.id}`);
  const prose = proseOf(random.fork("prose"));
  const presentation = emptyPresentation(file.id, file.title);
  presentation.revision = random.int(3, 900);
  const slides = file.seeded === 0 ? 26 : 1 + Math.floor(16 * random.next() ** 2);
  const cover = presentation.slides[0] as Slide;
  setText(cover, {
    type: "SUBTITLE",
    text: `${random.pick(seed.people).displayName} – ${prose.topic()}`,
  });
  for (let count = 1; count < slides; count++) {
    presentation.slides.push(seededSlide({ random, prose }));
  }
  return presentation;
}

/** A presentation with its title slide. */
export function emptyPresentation(id: string, title: string): StoredPresentation {
  const layout = LAYOUTS[0] as Layout;
  const cover: Slide = {
    id: "p",
    layoutId: layout.id,
    elements: placeholderElements(layout, (index) => `i${index}`),
    notes: "",
    notesId: "i5",
    skipped: false,
  };
  setText(cover, { type: "CENTERED_TITLE", text: title });
  return { id, locale: "en", slides: [cover], revision: 1 };
}

function setText(slide: Slide, { type, text }: { type: string; text: string }): void {
  for (const element of slide.elements) {
    if (element.kind === "shape" && element.placeholder?.type === type) element.text = `${text}\n`;
  }
}

function seededSlide({ random, prose }: { random: SeededRandom; prose: Prose }): Slide {
  const layout = random.pick(LAYOUTS.filter((item) => item.name !== "TITLE"));
  const id = `g${random.hex(11)}_0_${random.int(0, 90)}`;
  const slide: Slide = {
    id,
    layoutId: layout.id,
    elements: placeholderElements(layout, (index) => `${id}_${index}`),
    notes: random.next() < 0.5 ? `${prose.paragraph(random.int(1, 4))}\n` : "",
    notesId: `${id}_notes`,
    skipped: random.next() < 0.05,
  };
  for (const element of slide.elements) {
    if (element.kind !== "shape") continue;
    element.text = element.placeholder?.type === "BODY"
      ? Array.from({ length: random.int(2, 6) }, () => `${prose.sentence()}\n`).join("")
      : `${prose.subject()}\n`;
  }
  const extra = extraElement({ id, random, prose });
  if (extra !== undefined) slide.elements.push(extra);
  return slide;
}

function extraElement(
  { id, random, prose }: { id: string; random: SeededRandom; prose: Prose },
): Element | undefined {
  const frame = {
    x: random.int(3e5, 4e6),
    y: random.int(1e6, 3e6),
    width: random.int(1e6, 4e6),
    height: random.int(5e5, 1_900_000),
  };
  const draw = random.next();
  if (draw < 0.15) {
    return {
      kind: "image",
      id: `${id}_img`,
      frame,
      description: prose.sentence(),
      contentUrl: `https://lh7-rt.googleusercontent.com/slidesz/AGV_vUd${
        opaqueId(random, 88)
      }?key=${opaqueId(random, 22)}`,
    };
  }
  if (draw < 0.28) {
    const columns = random.int(2, 4);
    return {
      kind: "table",
      id: `${id}_tab`,
      frame,
      cells: Array.from(
        { length: random.int(2, 6) },
        () =>
          Array.from({ length: columns }, () => random.next() < 0.15 ? "" : `${prose.topic()}\n`),
      ),
    };
  }
  return draw < 0.36
    ? { kind: "line", id: `${id}_line`, frame, lineType: "STRAIGHT_CONNECTOR_1" }
    : undefined;
}
