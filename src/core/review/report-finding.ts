import { type ReviewFinding, SEVERITIES } from "../../plugin/review.js";
import type { PlainTool } from "../../plugin/index.js";
import { safeLine } from "../../base/safe-text.js";
import type { ReviewedDiff } from "./reviewed-diff.js";

const MAX_FINDINGS = 100;

type Reported = Omit<ReviewFinding, "endLine"> & Partial<Pick<ReviewFinding, "endLine">>;

const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength }) as const;
const lineNumber = { type: "integer", minimum: 1 } as const;

/** The tool that a review reports with. A finding counts only on lines that the diff shows. */
export function reportFinding(
    diff: ReviewedDiff,
    add: (finding: ReviewFinding) => void
): PlainTool<Reported, object> {
    const reported = new Set<string>();
    return {
        name: "report_finding",
        description:
            "Report one defect of the reviewed change. path, line and endLine as the diff shows them. suggestion replaces exactly these lines.",
        approval: "none",
        readOnly: true,
        inputSchema: {
            type: "object",
            additionalProperties: false,
            required: ["path", "line", "severity", "title", "reason"],
            properties: {
                path: text(4_096),
                line: lineNumber,
                endLine: lineNumber,
                severity: { enum: [...SEVERITIES] },
                title: text(200),
                reason: text(2_000),
                suggestion: { type: "string", maxLength: 10_000 },
            },
        },
        intent: ({ path, line }) => `Found something in ${path}:${line}`,
        async execute({ path, line, endLine = line, title, ...rest }) {
            const ranges = diff.rangesOf(path);
            if (ranges === undefined) {
                const names = diff.files.map((file) => file.path).join(", ");
                return refused(`${path} is not in the diff.`, `The diff has: ${names}.`);
            }
            if (!diff.linesOf(path, line, endLine)) {
                const lines = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`;
                const hint = `It has ${ranges === "" ? "none" : ranges}: report the changed line that is the cause.`;
                return refused(`The diff does not show ${lines} of ${path}.`, hint);
            }
            const key = JSON.stringify([path, line, title]);
            if (reported.has(key)) return refused("This was reported already.", "Go on.");
            if (reported.size >= MAX_FINDINGS) {
                return refused(`${MAX_FINDINGS} findings are enough.`, "End the review.");
            }
            reported.add(key);
            add({ ...{ path, line, endLine, title: safeLine(title) }, ...rest });
            return { ok: true, data: {} };
        },
        render: () => "Reported.",
    };
}

function refused(message: string, hint: string) {
    return { ok: false, error: { code: "not-reported", message, hint } } as const;
}
