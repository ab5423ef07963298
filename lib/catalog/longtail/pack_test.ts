import assert from "node:assert/strict";
import { isJsonObject, type JsonObject } from "../../json/mod.ts";
import { recordingLogger } from "../../log/testdata/recording.ts";
import { describeOp } from "../describe/mod.ts";
import { loadCatalog } from "../load.ts";
import { createSnapshot } from "../snapshot.ts";
import { validateOp } from "../validate/mod.ts";
import { embeddedSource, folderSource, openLongTail, openSessionLongTail } from "./mod.ts";
