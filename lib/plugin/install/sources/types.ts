/** What every package source gets and gives (spec 06 §3.5). */

import type { Environment } from "../../../config/environment.ts";
import type { StreamingHttpClient } from "../../../http/mod.ts";
import type { PluginFileSystem } from "../../file_system.ts";
import type { LoadedManifest } from "../../types.ts";

/** One package to acquire. */
export interface PackageRequest {
  loaded: LoadedManifest;
  /** Private directory of this installation; removed afterwards. */
  staging: string;
  /** Final place of the installed version. */
  installRoot: string;
  isDev: boolean;
  signal: AbortSignal;
}

/** What sources are made from. */
export interface SourceParts {
  fs: PluginFileSystem;
  http: StreamingHttpClient;
  environment: Environment;
  /** Default {@link DEFAULT_ORIGINS}. */
  origins?: PackageOrigins;
}

/** Where packages are fetched from. */
export interface PackageOrigins {
  /** `<releases>/<owner>/<name>/releases/download/<tag>/<asset>`. */
  releases: string;
  /** `<pythonIndex>/<project>/<version>/json`; absent: pip asks the index it is configured for. */
  pythonIndex?: string;
}

/** The public hosts. */
export const DEFAULT_ORIGINS: PackageOrigins = {
  releases: "https://github.com",
};

/** A package whose origin was verified. */
export interface AcquiredPackage {
  /** Tree to copy into the install root; undefined: the source built it there itself. */
  tree: string | undefined;
  ref: string;
  /** `sha256:<hex>` of the package file; undefined: the tree's digest stands for it. */
  checksum: string | undefined;
  /** The origin is not pinned, so the row is marked `dev-untrusted`. */
  untrusted: boolean;
}
