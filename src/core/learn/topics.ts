/** One question about a project; a section of its profile. */
export interface LearnTopic {
    readonly title: string;
    readonly question: string;
}

const QUESTIONS: Readonly<Record<string, string>> = {
    "Project Summary":
        "What is this project, who is it for, what are its main uses, and what does it leave to others?",
    "Architecture Map":
        "What are the major modules and entry points, where are they, and who may depend on whom?",
    "Code Style and Conventions":
        "Which habits of naming, layout, formatting, errors and tests does the code follow, and what do its linters demand?",
    "Domain Model Vocabulary":
        "Which terms and types matter in its domain, and where is each of them defined?",
    "Data Flow and State":
        "How do data move through it, what is kept where (files, databases, caches), and who owns that?",
    "External Dependencies":
        "Which frameworks, libraries and services does it rely on, for what, and how are they configured?",
    "Build, Run, and Test Workflow":
        "With which commands is it installed, built, run, tested and checked? One test alone, too.",
    "Hot Spots and Change Patterns":
        "Which parts change most or are largest, and what usually has to be changed together?",
    "Common Tasks Playbook":
        "For the three to six changes that are most usual here: which files does each take, step by step?",
    "Safety Rails and Footguns":
        "What is easy to break, what is generated or must not be edited, and which rules hold that nobody would guess?",
};

export const LEARN_TOPICS: readonly LearnTopic[] = Object.entries(QUESTIONS).map(
    ([title, question]) => ({ title, question })
);
