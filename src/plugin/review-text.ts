import { counted, formatCost } from "../base/format.js";
import { visibleLine } from "../base/safe-text.js";
import { type Review, type ReviewFinding, SEVERITIES } from "./review.js";

/** A review for people; what is invisible in the model's words must still be escaped. */
export function reviewText(review: Review): string {
    if (review.files === 0) return `Nothing to review in ${review.target}.`;
    const blocks = review.findings.map(findingText);
    const summary = review.summary.trim() === "" ? [] : [review.summary.trim()];
    return [...blocks, ...summary, closingLine(review)].join("\n\n");
}

function findingText({ path, line, severity, title, reason, suggestion }: ReviewFinding): string {
    const head = `${visibleLine(path)}:${line}  ${severity}  ${visibleLine(title)}`;
    const suggested = suggestion === undefined ? [] : ["Suggestion:", indented(suggestion)];
    return [head, indented([reason, ...suggested].join("\n"))].join("\n");
}

function indented(text: string): string {
    return text.replace(/^(?=.)/gm, "    ");
}

function closingLine({ findings, files, costUsd, problem }: Review): string {
    const kinds = SEVERITIES.flatMap((severity) => {
        const count = findings.filter((finding) => finding.severity === severity).length;
        return count === 0 ? [] : [counted(count, severity)];
    });
    const found = kinds.length === 0 ? "No findings" : kinds.join(", ");
    const end = `${found} in ${counted(files, "file")} · ${formatCost(costUsd)}`;
    return problem === undefined ? end : `${end}\nIncomplete: ${visibleLine(problem)}`;
}
