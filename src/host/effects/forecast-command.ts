import { realpath } from "node:fs/promises";
import path from "node:path";
import { counted, firstOf, formatInteger, firstRows, truncate } from "../../base/format.js";
import { leavesFolder } from "../../base/paths.js";
import type { FileFact } from "../../code/commands/facts.js";
import { needIn, networkIn, readCommand } from "../../code/commands/read-command.js";
import { isProtectedPath } from "../../plugin/protected-path.js";
import { entryAt, pathsOf, withHome, writtenFile } from "../../workspace/targets/find-targets.js";
import { ignoredOf, survey, type SurveyedFile } from "../../workspace/targets/survey.js";

interface CommandFolder {
    readonly root: string;
    /** Absolute path. */
    readonly cwd: string;
    readonly isRepository: boolean;
}

const MAX_SHOWN = 12;
const MAX_NAMES = 4;
const MAX_NAME_LENGTH = 80;

/**
 * Forecasts effects, as in `deletes build/ (14 files)`, losses of files not in git, and what the
 * command needs that containment lacks.
 */
export async function forecastCommand(
    command: string,
    folder: CommandFolder,
    signal?: AbortSignal
) {
    const { facts, isComplete } = await readCommand(command, signal);
    const sentences = new Set<string>();
    const losses = new Map<string, SurveyedFile>();
    for (const fact of facts) {
        if (fact.kind === "other") sentences.add(truncate(fact.text, MAX_NAME_LENGTH));
        if (fact.kind !== "files") continue;
        const forecast = await forecastFact(fact, folder, signal);
        if (forecast.sentence !== undefined) sentences.add(forecast.sentence);
        if (!isLoss(fact)) continue;
        for (const file of forecast.files) if (!file.isInGit) losses.set(file.path, file);
    }
    const consequences = [
        ...firstRows([...sentences], MAX_SHOWN, (more) => `and ${more} more`),
        ...(isComplete ? [] : ["part of it could not be read"]),
    ];
    const network = networkIn(facts);
    return { consequences, losses: [...losses.values()], needs: needIn(facts), network };
}

function isLoss({ does }: FileFact): boolean {
    return does === "deletes" || does === "overwrites";
}

interface FactForecast {
    readonly sentence?: string;
    readonly files: readonly SurveyedFile[];
    readonly isWhole: boolean;
}

async function forecastFact(
    fact: FileFact,
    folder: CommandFolder,
    signal?: AbortSignal
): Promise<FactForecast> {
    const names = namesOf(fact);
    const unsure: FactForecast = { sentence: `${fact.does} ${names}`, files: [], isWhole: false };
    const targets = await targetsOf(fact, folder);
    if (targets === undefined) return unsure;
    const outside = await sentenceOutside(fact, targets, folder);
    if (/^(?:writes|links to)$/.test(fact.does)) return { ...outside, files: [], isWhole: true };
    const devices = await devicesAmong(fact, targets);
    if (devices.length > 0) {
        return { sentence: `writes to the device ${devices.join(", ")}`, files: [], isWhole: true };
    }
    const { root } = folder;
    const withoutGit = fact.among !== undefined || fact.isSubset === true;
    const { isDeep } = fact;
    const found = await survey(targets, { root, isDeep, withoutGit, signal });
    const files = await chosen(fact, found.files, folder, signal);
    const { isWhole } = found;
    const seen = { ...outside, files, isWhole };
    if (files.length > 0) return { ...seen, sentence: sentenceOf(fact, seen, folder, targets) };
    // What has its permissions changed may not be there yet.
    if (!isWhole || /^changes/.test(fact.does)) return unsure;
    // Creating files, or restoring unchanged ones, loses nothing.
    if (fact.does !== "deletes" || fact.among !== undefined || fact.isSubset) return seen;
    const present = await Promise.all(targets.map(entryAt));
    if (!fact.isDeep && present.some((entry) => entry?.isDirectory())) return seen;
    const isThere = present.some((entry) => entry !== undefined);
    return { ...seen, sentence: `deletes ${names}${isThere ? "" : " (not there now)"}` };
}

/** A write outside the project, or into git's directory, whatever it does to the file. */
async function sentenceOutside(
    { does, among, words }: FileFact,
    targets: readonly string[],
    { root }: CommandFolder
): Promise<Pick<FactForecast, "sentence">> {
    if (among !== undefined) return {};
    const outside: string[] = [];
    for (const [index, target] of targets.entries()) {
        if (STREAMS.test(target)) continue;
        const real = await realTarget(target);
        const inside = path.relative(root, real);
        if (!leavesFolder(inside) && !isProtectedPath(inside)) continue;
        const shown = targets.length === words.length ? words[index]?.shown : undefined;
        outside.push(shown === undefined || shown === "." ? target : shown);
    }
    if (outside.length === 0) return {};
    const verb = does === "deletes" || does === "links to" ? does : "writes";
    return { sentence: `${verb} ${namesAmong(outside)}, outside the project's files` };
}

/** Devices that keep nothing. */
const STREAMS = /^\/dev\/(?:null|zero|full|tty|std(?:in|out|err)|fd\/\d+)$/;

/** Where a write ends up, also of a file that is not there yet. */
async function realTarget(file: string): Promise<string> {
    const folder = path.dirname(file);
    const real = await realpath(file).catch(() => undefined);
    if (real !== undefined || folder === file) return real ?? file;
    return path.join(await realTarget(folder), path.basename(file));
}

async function targetsOf(fact: FileFact, { root, cwd }: CommandFolder) {
    if (fact.folder === undefined) return undefined;
    const folder = path.resolve(cwd, withHome({ text: fact.folder, shown: fact.folder }));
    const targets: string[] = [];
    for (const word of fact.words) {
        const paths = await pathsOf(word, folder, root);
        if (paths === undefined) return undefined;
        // Where a pattern matches nothing, bash takes it as a name.
        const isNew = paths.length === 0 && /^(?:over)?writes$/.test(fact.does);
        targets.push(...(isNew ? [path.resolve(folder, withHome(word))] : paths));
    }
    if (fact.does !== "overwrites" || fact.among !== undefined) return targets;
    const written: string[] = [];
    for (const target of targets) {
        const sources = (await isFolder(target)) ? fact.sources : undefined;
        if (sources === undefined) {
            written.push(await writtenFile(target));
            continue;
        }
        for (const source of sources) {
            const paths = await pathsOf(source, folder, root);
            if (paths === undefined) return undefined;
            for (const from of paths) written.push(path.join(target, path.basename(from)));
        }
    }
    return written;
}

async function isFolder(file: string): Promise<boolean> {
    return (await entryAt(await writtenFile(file)))?.isDirectory() ?? false;
}

async function devicesAmong({ does }: FileFact, targets: readonly string[]): Promise<string[]> {
    if (does !== "overwrites") return [];
    const entries = await Promise.all(targets.map(entryAt));
    return targets.filter((_, index) => entries[index]?.isBlockDevice());
}

async function chosen(
    { among }: FileFact,
    files: readonly SurveyedFile[],
    { root }: CommandFolder,
    signal?: AbortSignal
): Promise<readonly SurveyedFile[]> {
    if (among === undefined) return files;
    if (among === "changed") return files.filter((file) => file.isTracked && !file.isInGit);
    const own = files.filter(({ isTracked }) => !isTracked);
    if (among === "untracked or ignored") return own;
    const ignored = await ignoredOf(root, signal);
    return own.filter(({ path: file }) => ignored.has(file) === (among === "ignored"));
}

/** `deletes build/ (14 files, 2 not in git)`, `overwrites a.txt`, `discards changes to 3 files`. */
function sentenceOf(
    fact: FileFact,
    { files, isWhole }: Pick<FactForecast, "files" | "isWhole">,
    { isRepository, cwd }: CommandFolder,
    targets: readonly string[]
): string {
    const { does, among, isSubset, sources } = fact;
    const count = isWhole
        ? counted(files.length, "file")
        : `more than ${formatInteger(files.length)} files`;
    if (among === "changed") return `discards changes to ${count}`;
    if (among !== undefined) return `deletes ${count} not in git`;
    if (isLoss(fact)) {
        const lost = files.filter(({ isInGit: isHeld }) => !isHeld).length;
        if (isSubset) return `deletes what find finds in ${namesOf(fact)}`;
        const isOne = files.length === 1 && files[0]?.path === targets[0];
        const isAll = lost === files.length;
        const notHeld =
            isRepository && lost > 0 ? `${isOne || isAll ? "" : `${lost} `}not in git` : "";
        const details = [isOne ? "" : count, notHeld].filter((detail) => detail !== "").join(", ");
        // `cp a.txt folder` overwrites a file in the folder.
        const name =
            sources && files[0] && isOne ? path.relative(cwd, files[0].path) : namesOf(fact);
        return `${does} ${name}${details === "" ? "" : ` (${details})`}`;
    }
    return files.length === 1 ? `${does} ${namesOf(fact)}` : `${does} ${count}`;
}

function namesOf({ words }: FileFact): string {
    return namesAmong(words.map(({ shown }) => shown));
}

function namesAmong(all: readonly string[]): string {
    return firstOf(
        all.map((name) => truncate(name, MAX_NAME_LENGTH)),
        MAX_NAMES,
        " and "
    );
}
