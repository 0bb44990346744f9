/** One question about a project; a section of its profile. */
export interface LearnTopic {
    readonly title: string;
    readonly question: string;
}

/** The topics of a profile, in order. */
export const LEARN_TOPICS: readonly LearnTopic[] = [
    {
        title: "Project Summary",
        question:
            "What is this project, who is it for, what are its main uses, and what does it leave to others?",
    },
    {
        title: "Architecture Map",
        question:
            "What are the major modules and entry points, where are they, and who may depend on whom?",
    },
    {
        title: "Code Style and Conventions",
        question:
            "Which habits of naming, layout, formatting, errors and tests does the code follow, and what do its linters demand?",
    },
    {
        title: "Domain Model Vocabulary",
        question: "Which terms and types matter in its domain, and where is each of them defined?",
    },
    {
        title: "Data Flow and State",
        question:
            "How do data move through it, what is kept where (files, databases, caches), and who owns that?",
    },
    {
        title: "External Dependencies",
        question:
            "Which frameworks, libraries and services does it rely on, for what, and how are they configured?",
    },
    {
        title: "Build, Run, and Test Workflow",
        question:
            "With which commands is it installed, built, run, tested and checked? One test alone, too.",
    },
    {
        title: "Hot Spots and Change Patterns",
        question:
            "Which parts change most or are largest, and what usually has to be changed together?",
    },
    {
        title: "Common Tasks Playbook",
        question:
            "For the three to six changes that are most usual here: which files does each take, step by step?",
    },
    {
        title: "Safety Rails and Footguns",
        question:
            "What is easy to break, what is generated or must not be edited, and which rules hold that nobody would guess?",
    },
];
