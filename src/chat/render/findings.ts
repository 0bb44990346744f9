import { counted, firstRows } from "../../base/format.js";
import { visibleLine } from "../../base/safe-text.js";

const MAX_SHOWN = 8;

export function shownFindings(findings: readonly string[] = []): readonly string[] {
    return firstRows(findings.map(visibleLine), MAX_SHOWN, (more) => counted(more, "more finding"));
}
