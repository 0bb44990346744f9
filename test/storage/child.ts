/** What other North processes do in the tests: one task, given as JSON in the first argument. */
import { isExpectedError } from "../../src/base/north-error.js";
import { createConversationStore } from "../../src/storage/conversations/conversations.js";
import { withLock } from "../../src/storage/files/file-lock.js";
import { createChangeHistory } from "../../src/storage/grants/change-history.js";
import { createGrants } from "../../src/storage/grants/grants.js";
import { createInputHistory } from "../../src/storage/input-history.js";
import { updateJson } from "../../src/storage/files/json-file.js";
import { createLedger } from "../../src/storage/costs/ledger.js";
import { createMemoryStore } from "../../src/storage/memory.js";
import { openJournal } from "../../src/storage/conversations/open-journal.js";
import { writeFileAtomically } from "../../src/storage/files/atomic-file.js";
import { costRecord, userEntry } from "./samples.js";

export type ChildTask =
    | { readonly do: "count"; readonly file: string; readonly times: number }
    | { readonly do: "hold-lock"; readonly file: string }
    | {
          readonly do: "record-costs";
          readonly dataFolder: string;
          readonly name: string;
          readonly times: number;
      }
    | {
          readonly do: "allow-commands";
          readonly root: string;
          readonly dataFolder: string;
          readonly name: string;
          readonly times: number;
      }
    | {
          readonly do: "note-changes";
          readonly root: string;
          readonly dataFolder: string;
          readonly name: string;
          readonly times: number;
      }
    | {
          readonly do: "type";
          readonly root: string;
          readonly dataFolder: string;
          readonly name: string;
          readonly times: number;
      }
    | {
          readonly do: "remember";
          readonly root: string;
          readonly dataFolder: string;
          readonly name: string;
          readonly times: number;
      }
    | { readonly do: "hold-conversation"; readonly dataFolder: string; readonly id: string }
    | { readonly do: "write-everything"; readonly root: string; readonly dataFolder: string }
    | { readonly do: "fill-journal"; readonly file: string }
    | { readonly do: "rewrite-forever"; readonly file: string };

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Waits until the system has the line: a kill loses what still waits for a slow reader. */
const sayForSure = (line: string) =>
    new Promise<void>((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
const forever = () => new Promise<never>(() => setInterval(() => {}, 60_000));

async function perform(task: ChildTask): Promise<void> {
    switch (task.do) {
        case "count":
            for (let time = 0; time < task.times; time += 1) {
                await updateJson(task.file, { report: say }, (value) => {
                    value.count = Number(value.count ?? 0) + 1;
                });
            }
            return;
        case "hold-lock":
            return withLock(task.file, async () => {
                say("held");
                await forever();
            });
        case "note-changes": {
            const changes = createChangeHistory(task);
            for (let time = 0; time < task.times; time += 1) {
                await changes.add([`${task.name} ${time}`]);
                await sayForSure(String(time));
            }
            return;
        }
        case "record-costs": {
            const ledger = createLedger({ dataFolder: task.dataFolder });
            for (let time = 0; time < task.times; time += 1) {
                ledger.record(costRecord({ conversationId: task.name, at: Date.now() }));
                await sayForSure(String(time));
                // Summaries of many processes get in each other's way now and then.
                if (time % 50 === 49) await ledger.summarize();
            }
            return;
        }
        case "remember": {
            const options = { ...task, report: say };
            const memory = createMemoryStore({ ...options, notes: createGrants(options) });
            for (let time = 0; time < task.times; time += 1) {
                const scope = time % 2 === 0 ? "project" : "global";
                await memory.add({ scope, text: `${task.name} ${time}` });
            }
            return;
        }
        case "allow-commands": {
            const grants = createGrants(task);
            for (let time = 0; time < task.times; time += 1) {
                await grants.allowCommand({ command: `${task.name} ${time}`, cwd: "" });
            }

            return;
        }
        case "type": {
            const history = createInputHistory(task);
            for (let time = 0; time < task.times; time += 1) {
                await history.append(`${task.name} ${time}`);
            }

            return;
        }
        case "hold-conversation": {
            const journal = await createConversationStore(task.dataFolder).open(task.id);
            journal.append({ type: "entry_added", entry: userEntry("from the child") });
            say("open");
            return forever();
        }
        case "write-everything":
            return writeEverything(task);
        case "fill-journal": {
            const journal = openJournal(task.file, { create: true });
            try {
                for (let time = 0; ; time += 1) {
                    const text = `${time} ${"x".repeat(30_000)}`;
                    journal.append({ type: "entry_added", entry: userEntry(text) });
                    say(String(time));
                }
            } catch (error) {
                say(isExpectedError(error) ? error.code : String(error));
            }
            return;
        }
        case "rewrite-forever":
            for (let time = 0; ; time += 1) {
                const content = JSON.stringify({ time, filling: "y".repeat(200_000) });
                await writeFileAtomically(task.file, content);
                say(String(time));
            }
    }
}

/** Everything that a session writes; says of each thing how it went. */
async function writeEverything(project: { readonly root: string; readonly dataFolder: string }) {
    const store = createConversationStore(project.dataFolder);
    const start = { id: "abc123", root: project.root, provider: "", model: "" };
    const ledger = createLedger(project);
    const attempts = [
        () => store.start(start),
        () => ledger.record(costRecord()),
        () => ledger.summarize(),
        () => createGrants(project).allowKey("key"),
        () => createInputHistory(project).append("text"),
    ];
    for (const attempt of attempts) {
        try {
            await Promise.resolve(attempt());
            say("done");
        } catch (error) {
            say(isExpectedError(error) ? error.code : String(error));
        }
    }
}

await perform(JSON.parse(process.argv[2] ?? "") as ChildTask);
