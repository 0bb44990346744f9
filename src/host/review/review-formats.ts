import { showControls } from "../../base/safe-text.js";
import { reviewText } from "../../plugin/review-text.js";
import type { Review, ReviewFinding, Severity } from "../../plugin/review.js";

export const REVIEW_FORMATS = ["text", "json", "sarif", "github"] as const;

/** A review in one of the formats; safe to print, and empty if there is nothing to print. */
export function printedReview(
    review: Review,
    format: (typeof REVIEW_FORMATS)[number],
    version: string
): string {
    switch (format) {
        case "text":
            return showControls(reviewText(review));
        case "json":
            return JSON.stringify(review, null, 2);
        case "sarif":
            return JSON.stringify(sarifLog(review, version), null, 2);
        case "github":
            return review.findings.map(annotation).join("\n");
        default:
            return format satisfies never;
    }
}

const GITHUB_COMMANDS: Readonly<Record<Severity, string>> = {
    error: "error",
    warning: "warning",
    note: "notice",
};

/**
 * Workflow commands, which GitHub Actions shows beside the lines.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
function annotation({ path, line, endLine, severity, title, reason }: ReviewFinding): string {
    const property = (text: string) => escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
    const place = `file=${property(path)},line=${line},endLine=${endLine}`;
    return `::${GITHUB_COMMANDS[severity]} ${place},title=${property(title)}::${escaped(reason)}`;
}

/** GitHub reads these three signs; a line break would begin another command. */
function escaped(text: string): string {
    return showControls(text.replaceAll("%", "%25").replaceAll("\n", "%0A"));
}

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
function sarifLog({ findings, problem }: Review, version: string) {
    return {
        $schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [
            {
                tool: {
                    driver: {
                        name: "North",
                        semanticVersion: version,
                        informationUri: "https://github.com/north-cli/north",
                        rules: [{ id: RULE, shortDescription: { text: "A model's review" } }],
                    },
                },
                columnKind: "utf16CodeUnits",
                invocations: [{ executionSuccessful: problem === undefined }],
                results: findings.map(sarifResult),
            },
        ],
    };
}

const RULE = "review";

function sarifResult({ path, line, endLine, severity, title, reason, suggestion }: ReviewFinding) {
    const artifactLocation = { uri: path.split("/").map(encodeURIComponent).join("/") };
    const region = { startLine: line, endLine };
    const replacement = { deletedRegion: region, insertedContent: { text: suggestion } };
    const fix = { artifactChanges: [{ artifactLocation, replacements: [replacement] }] };
    return {
        ruleId: RULE,
        level: severity,
        message: { text: showControls(`${title}\n\n${reason}`) },
        locations: [{ physicalLocation: { artifactLocation, region } }],
        ...(suggestion !== undefined && { fixes: [fix] }),
    };
}
