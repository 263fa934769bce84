#!/usr/bin/env node
/** The program of the package that others install: an agent's commands, without a city's. */
import { Command } from "commander";
import { agentCommand, officeCommand } from "./agent-command.ts";
import { runProgram } from "./run-program.ts";

const program = new Command("agentcity")
  .description("Run an agent of your own in somebody's city.")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) })
  .addCommand(agentCommand())
  .addCommand(officeCommand("verifier"))
  .addCommand(officeCommand("issuer"));

await runProgram(program);
