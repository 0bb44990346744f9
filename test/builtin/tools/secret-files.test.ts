import { mkdir, symlink } from "node:fs/promises";
import path from "node:path";
import { expect } from "chai";
import { editReplaceExact } from "../../../src/builtin/tools/edit-replace-exact.js";
import { findBlocks } from "../../../src/builtin/tools/find-blocks.js";
import { findCodeBlock } from "../../../src/builtin/tools/find-code-block.js";
import { getFileOutline } from "../../../src/builtin/tools/get-file-outline.js";
import { getFileSymbols } from "../../../src/builtin/tools/get-file-symbols.js";
import { getLineCount } from "../../../src/builtin/tools/get-line-count.js";
import { readAround } from "../../../src/builtin/tools/read-around.js";
import { readFile } from "../../../src/builtin/tools/read-file.js";
import { searchText } from "../../../src/builtin/tools/search-text.js";
import { makeToolContext, type TestToolContext } from "../../helpers/tool-context.js";

const SECRET = "hunter2";

const TOOLS: Readonly<Record<string, (path: string, context: TestToolContext) => unknown>> = {
    read_file: (path, context) => readFile.execute({ path }, context),
    read_around: (path, context) => readAround.execute({ path, anchor: "TOKEN" }, context),
    get_file_outline: (path, context) => getFileOutline.execute({ path }, context),
    get_file_symbols: (path, context) => getFileSymbols.execute({ path }, context),
    find_blocks: (path, context) => findBlocks.execute({ path }, context),
    find_code_block: (path, context) => findCodeBlock.execute({ path, query: "TOKEN" }, context),
    get_line_count: (path, context) => getLineCount.execute({ path }, context),
    search_text: (file, context) => searchText.execute({ query: "TOKEN", file }, context),
    edit_replace_exact: (path, context) =>
        editReplaceExact.propose({ path, old: "TOKEN=", new: "X=" }, context),
};

describe("A secret file that the user does not open", () => {
    for (const [name, use] of Object.entries(TOOLS)) {
        it(`${name} gives nothing of a secret file, however its path is written`, async () => {
            const context = await makeToolContext({ files: { ".env": `TOKEN=${SECRET}\n` } });
            await mkdir(path.join(context.root, "src"));
            await symlink("../.env", path.join(context.root, "src", "settings.txt"));
            await symlink(".", path.join(context.root, "here"));
            for (const written of [
                ".env",
                "./.env",
                "src/../.env",
                "src/settings.txt",
                "here/.env",
                path.join(context.root, ".env"),
            ]) {
                const result = await Promise.resolve(use(written, context)).catch(String);
                expect(JSON.stringify(result), written).not.to.contain(SECRET);
            }
        });
    }
});
