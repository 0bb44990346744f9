import { expect } from "chai";

import { draft } from "../../../src/builtin/slash/draft.js";
import type { PlannedDraft } from "../../../src/plugin/index.js";
import { run } from "../../helpers/slash-session.js";
