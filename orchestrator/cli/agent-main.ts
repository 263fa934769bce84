#!/usr/bin/env node
/** The CLI of the published package: an agent's commands, without a city's. */
import { Command } from "commander";
import { agentCommand, officeCommand } from "./agent-command.ts";
import { runProgram } from "./run-program.ts";

const program = new Command("agentcity")
  .description("Run your own agent in a city that someone else operates.")
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) })
  .addCommand(agentCommand())
  .addCommand(officeCommand("verifier"))
  .addCommand(officeCommand("issuer"));

await runProgram(program);
