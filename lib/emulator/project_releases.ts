/** The release page of a project, for what asks whether a newer version is out. */

import type { EmulatedAnswer } from "./service.ts";

const HOST = "api.github.com";
const LATEST = /^\/repos\/([\w.-]+\/[\w.-]+)\/releases\/latest$/;

/** What the latest release is called on the emulator: later than any build. */
const EMULATED_RELEASE = "v999.0.0";

/** Answers whoever asks, as the public page does; undefined for every other host. */
export function answerProjectReleases(host: string, path: string): EmulatedAnswer | undefined {
  if (host !== HOST) return undefined;
  const repository = LATEST.exec(path)?.[1];
  if (repository === undefined) return { status: 404, body: { message: "Not Found" } };
  return {
    body: {
      tag_name: EMULATED_RELEASE,
      name: EMULATED_RELEASE,
      draft: false,
      prerelease: false,
      html_url: `https://github.com/${repository}/releases/tag/${EMULATED_RELEASE}`,
      assets: [],
    },
  };
}
