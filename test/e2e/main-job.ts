/** The conversation that shows the main job: reads, edits, commands, and text in odd pieces. */
import { reply, text, toolUse, type Reply } from "../helpers/vendors/messages-server.js";

export const GREETING = 'export const greeting = "hello";\r\nexport const tone = "plain";\r\n';
export const GREETED = GREETING.replace("hello", "grüß dich 👋🏽");
export const README = "# Project\n\nAn example.\n";

export const FILES = {
    "src/greeting.ts": GREETING,
    "README.md": README,
    "notes.txt": "première ligne\n二行目\n",
};

/** Every byte by itself, then a few: no character stays whole. */
export const ODD_PIECES: Pick<Reply, "pieceSizes"> = { pieceSizes: [1, 2, 3, 1, 7] };

export const OPENING = "Je lis d’abord — 三つ — 🦊👩‍👩‍👧.";
export const CLOSING = "Fertig: „grüß dich“ steht drin, 完了 ✅.";

export const readThree: Reply = {
    ...reply(
        text(OPENING),
        toolUse("read_1", "read_file", { path: "src/greeting.ts" }),
        toolUse("read_2", "read_file", { path: "README.md" }),
        toolUse("read_3", "read_file", { path: "notes.txt" })
    ),
    ...ODD_PIECES,
};

export const editGreeting: Reply = {
    ...reply(
        toolUse("edit_1", "edit_replace_exact", {
            path: "src/greeting.ts",
            old: "hello",
            new: "grüß dich 👋🏽",
        })
    ),
    ...ODD_PIECES,
};

export const editReadme: Reply = reply(
    text("Now the heading."),
    toolUse("edit_2", "edit_replace_exact", { path: "README.md", old: "Project", new: "Other" })
);

export const runTouch: Reply = reply(toolUse("run_1", "shell_run", { command: "touch never.txt" }));

export const runPrint: Reply = reply(
    toolUse("run_2", "shell_run", { command: "printf 'ran\\n' > ran.txt; echo out; echo err >&2" })
);

export const close: Reply = { ...reply(text(CLOSING)), ...ODD_PIECES };
