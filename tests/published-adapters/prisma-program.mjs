/**
 * Asks a database by a published adapter for Prisma, unmodified. Reads plans from standard input, and prints for each the
 * ids of the rows that it selects, or why it selects none. It is bundled with a generated client (prisma.test.ts).
 */
import { text } from 'node:stream/consumers';
import { PlanExpression, PlanExpressionValue, PlanExpressionVariable } from '@cerbos/core';
import { queryPlanToPrisma } from '@cerbos/orm-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './client/client.ts';

const COLUMNS = { 'map.a': { field: 'mapA' }, list: { relation: { name: 'list', type: 'many', field: 'value' } } };

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });
const answers = [];
for (const { kind, condition } of JSON.parse(await text(process.stdin))) {
  const queryPlan = { kind, condition: nodeOf(condition), metadata: undefined, validationErrors: [] };
  try {
    const { filters } = queryPlanToPrisma({ queryPlan, mapper: columnOf });
    try {
      const items = await prisma.item.findMany({ where: filters, select: { id: true }, orderBy: { id: 'asc' } });
      answers.push({ ids: items.map(({ id }) => id) });
    } catch (error) {
      answers.push({ failed: error.message });
    }
  } catch (error) {
    answers.push({ refused: error.message });
  }
}
await prisma.$disconnect();
process.stdout.write(JSON.stringify(answers));

function columnOf(variable) {
  const name = variable.replace(/^request\.resource\.(?:attr\.)?/, '');
  return COLUMNS[name] ?? { field: name };
}

/** An operand as the SDK of the adapter has it. */
function nodeOf(operand) {
  if ('value' in operand) return new PlanExpressionValue(operand.value);
  if ('variable' in operand) return new PlanExpressionVariable(operand.variable);
  const { operator, operands = [] } = operand.expression;
  return new PlanExpression(operator, operands.map(nodeOf));
}
