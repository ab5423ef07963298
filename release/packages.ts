/** What package managers read: a Homebrew formula, a Scoop manifest. Made from the checksums. */

import type { ReleaseArchive } from "./archives.ts";

/** What both descriptions need to know. */
export interface PackageFacts {
  /** The release tag, `vX.Y.Z`. */
  version: string;
  /** `owner/name` of the repository that holds the releases. */
  repository: string;
  archives: readonly ReleaseArchive[];
}

/** One line for people who look through a list of packages; formula rules forbid a leading article. */
export const DESCRIPTION = "Safe, token-cheap control surface over Google's APIs";

function plain(facts: PackageFacts): ReleaseArchive[] {
  return facts.archives.filter(({ artifact }) => artifact.name === "gum");
}

function address({ version, repository }: PackageFacts, archive: ReleaseArchive): string {
  return `https://github.com/${repository}/releases/download/${version}/${archive.name}`;
}

/**
 * `Formula/gum.rb` of the project's own tap. The core tap has another `gum`, so people install it
 * by its qualified name.
 */
export function homebrewFormula(facts: PackageFacts): string {
  const systems = [["darwin", "on_macos"], ["linux", "on_linux"]] as const;
  const processors = [["arm64", "on_arm"], ["amd64", "on_intel"]] as const;
  const sources = systems.flatMap(([os, system]) => {
    const inner = processors.flatMap(([arch, processor]) => {
      const archive = plain(facts).find(({ target }) => target.os === os && target.arch === arch);
      return archive === undefined ? [] : [
        `    ${processor} do`,
        `      url "${address(facts, archive)}"`,
        `      sha256 "${archive.sha256}"`,
        "    end",
      ];
    });
    return inner.length === 0 ? [] : [`  ${system} do`, ...inner, "  end", ""];
  });
  return [
    "# typed: strict",
    "# frozen_string_literal: true",
    "",
    "# Written by `deno task release` from the checksums of the archives.",
    "class Gum < Formula",
    `  desc "${DESCRIPTION}"`,
    `  homepage "https://github.com/${facts.repository}"`,
    `  version "${facts.version.replace(/^v/, "")}"`,
    '  license "MIT"',
    "",
    ...sources,
    "  def install",
    '    bin.install "gum"',
    '    bash_completion.install "completions/gum.bash" => "gum"',
    '    zsh_completion.install "completions/_gum"',
    '    fish_completion.install "completions/gum.fish"',
    '    doc.install "THIRD_PARTY_NOTICES.txt"',
    "  end",
    "",
    "  test do",
    '    assert_equal "v#{version}", shell_output("#{bin}/gum --version").strip',
    "  end",
    "end",
    "",
  ].join("\n");
}

/** The Scoop manifest, one JSON text; undefined when the release has no archive for Windows. */
export function scoopManifest(facts: PackageFacts): string | undefined {
  const archive = plain(facts).find(({ target }) => target.os === "windows");
  if (archive === undefined) return undefined;
  const releases = `https://github.com/${facts.repository}/releases/download`;
  const manifest = {
    version: facts.version.replace(/^v/, ""),
    description: DESCRIPTION,
    homepage: `https://github.com/${facts.repository}`,
    license: "MIT",
    architecture: { "64bit": { url: address(facts, archive), hash: archive.sha256 } },
    bin: "gum.exe",
    checkver: { github: `https://github.com/${facts.repository}` },
    autoupdate: {
      architecture: { "64bit": { url: `${releases}/v$version/gum_$version_windows_amd64.zip` } },
      hash: { url: "$baseurl/checksums.txt" },
    },
  };
  return JSON.stringify(manifest, null, 2) + "\n";
}
