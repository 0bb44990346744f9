import { counted } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";

const MAX_SHOWN = 8;

/** Findings of checks, up to a max. */
export function shownFindings(findings: readonly string[] = []): readonly string[] {
    const shown = findings.slice(0, MAX_SHOWN).map(visibleLine);
    const more = findings.length - shown.length;
    return more > 0 ? [...shown, counted(more, "more finding")] : shown;
}
