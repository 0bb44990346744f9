import type { Contribution } from "../plugin/index.js";
import { anthropic } from "./providers/anthropic/index.js";
import { local } from "./providers/compatible/local.js";
import { offline } from "./providers/offline/index.js";
import { openai } from "./providers/openai/index.js";
import { allowlist } from "./slash/allowlist.js";
import { auto } from "./slash/auto.js";
import { clear } from "./slash/clear.js";
import { context } from "./slash/context.js";
import { conversations } from "./slash/conversations.js";
import { costs } from "./slash/costs.js";
import { exit } from "./slash/exit.js";
import { expand } from "./slash/expand.js";
import { exportConversation } from "./slash/export.js";
import { help } from "./slash/help.js";
import { learn } from "./slash/learn.js";
import { logout } from "./slash/logout.js";
import { memory } from "./slash/memory.js";
import { mode } from "./slash/mode.js";
import { model } from "./slash/model.js";
import { newConversation } from "./slash/new.js";
import { quit } from "./slash/quit.js";
import { resume } from "./slash/resume.js";
import { summarize } from "./slash/summarize.js";
import { thinking } from "./slash/thinking.js";
import { undo } from "./slash/undo.js";
import { usage } from "./slash/usage.js";
import { detectLanguages } from "./tools/detect-languages.js";
import { editAfterAnchor } from "./tools/edit-after-anchor.js";
import { editApplyBatch } from "./tools/edit-apply-batch.js";
import { editBeforeAnchor } from "./tools/edit-before-anchor.js";
import { editByAnchor } from "./tools/edit-by-anchor.js";
import { editCreateFile } from "./tools/edit-create-file.js";
import { editInsertAtLine } from "./tools/edit-insert-at-line.js";
import { editReplaceBlock } from "./tools/edit-replace-block.js";
import { editReplaceExact } from "./tools/edit-replace-exact.js";
import { expandOutput } from "./tools/expand-output.js";
import { findBlocks } from "./tools/find-blocks.js";
import { findCodeBlock } from "./tools/find-code-block.js";
import { findFiles } from "./tools/find-files.js";
import { getFileOutline } from "./tools/get-file-outline.js";
import { getFileSymbols } from "./tools/get-file-symbols.js";
import { getLineCount } from "./tools/get-line-count.js";
import { hotfiles } from "./tools/hotfiles.js";
import { listFolder } from "./tools/list-folder.js";
import { listRoot } from "./tools/list-root.js";
import { readAround } from "./tools/read-around.js";
import { readFile } from "./tools/read-file.js";
import { readReadme } from "./tools/read-readme.js";
import { searchText } from "./tools/search-text.js";
import { shellRun } from "./tools/shell-run.js";
import { todoWrite } from "./tools/todo-write.js";
import { webFetch } from "./tools/web-fetch.js";

/** North's own plugin: one line for each tool, provider and slash command. */
export const builtin: Contribution = {
    apiVersion: 1,
    tools: [
        listRoot,
        listFolder,
        findFiles,
        searchText,
        readFile,
        readAround,
        getLineCount,
        readReadme,
        getFileSymbols,
        getFileOutline,
        findBlocks,
        findCodeBlock,
        detectLanguages,
        hotfiles,
        expandOutput,
        editReplaceExact,
        editInsertAtLine,
        editAfterAnchor,
        editBeforeAnchor,
        editReplaceBlock,
        editByAnchor,
        editCreateFile,
        editApplyBatch,
        shellRun,
        todoWrite,
        webFetch,
    ],
    providers: [anthropic, openai, local, offline],
    slashCommands: [
        help,
        model,
        mode,
        thinking,
        newConversation,
        conversations,
        resume,
        exportConversation,
        expand,
        undo,
        summarize,
        clear,
        costs,
        usage,
        context,
        learn,
        memory,
        allowlist,
        auto,
        logout,
        quit,
        exit,
    ],
};
