import { firstOf } from "../../base/format.js";
import { lostOutputs } from "../../core/conversation/draft-outputs.js";
import type { Entry } from "../../plugin/index.js";

/** For a resumed draft, whose commands built something that the earlier process did not keep. */
export function lostOutputsNotices(entries: readonly Entry[]): readonly string[] {
    const lost = lostOutputs(entries, performance.timeOrigin);
    if (lost.length === 0) return [];
    const what = firstOf(lost);
    return [`Not kept with the draft, because it is ignored: ${what}. Build and test again.`];
}
