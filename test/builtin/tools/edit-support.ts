import { readFile } from "node:fs/promises";
import path from "node:path";
import type { ChangeSet, ToolError, WriteTool } from "../../../src/plugin/index.js";
import { isExpectedError } from "../../../src/base/north-error.js";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import {
    makeToolContext,
    type TestToolContext,
    type TestContextOptions,
} from "../../helpers/tool-context.js";

/** A repository in which tools propose and the real applier writes. */
export interface EditBench {
    readonly context: TestToolContext;
    /** Proposes and applies; rejects when the tool or the applier refuses. */
    edit<Input>(tool: WriteTool<Input>, input: Input): Promise<ChangeSet>;
    /** The failure of a tool that has to refuse; also when it throws an expected error. */
    refusal<Input>(tool: WriteTool<Input>, input: Input): Promise<ToolError>;
    /** A file as one character a byte. */
    read(file: string): Promise<string>;
    /** What the model does when it reads a file: it has then seen this version. */
    see(file: string): Promise<void>;
}

export async function editBench(files: TestContextOptions["files"] = {}): Promise<EditBench> {
    const context = await makeToolContext({ files });
    const applier = createChangeApplier({ root: context.root });
    return {
        context,
        async edit(tool, input) {
            const proposal = await tool.propose(input, context);
            if (!proposal.ok) throw new Error(JSON.stringify(proposal.error));
            const outcome = await applier.apply(proposal.changeSet);
            if (outcome.kind !== "applied") throw new Error("The change set was stale.");
            outcome.files.forEach(({ path: file, afterHash }) => {
                if (afterHash !== null) context.observe(file, afterHash);
            });
            return proposal.changeSet;
        },
        async refusal(tool, input) {
            try {
                const proposal = await tool.propose(input, context);
                if (!proposal.ok) return proposal.error;
            } catch (error) {
                if (isExpectedError(error)) return { code: error.code, message: error.message };
                throw error;
            }
            throw new Error("The tool did not refuse.");
        },
        read: (file) => readFile(path.join(context.root, file), "latin1"),
        async see(file) {
            context.observe(file, (await context.workspace.read(file)).hash);
        },
    };
}
