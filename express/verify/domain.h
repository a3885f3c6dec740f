/* domain.h: the instances of a certificate's task and their labels, from the definition: the
 * program run naively, or the lines of the task.
 *
 * Labels are numbers; two are the same exactly if a layer need not tell them apart: values that
 * are equal (==) or the same. */
#ifndef RASP_EXPRESS_VERIFY_DOMAIN_H
#define RASP_EXPRESS_VERIFY_DOMAIN_H

#include "express/verify/certificate.h"

#define LABEL_NONE UINT32_MAX

typedef struct Domain Domain;

/* NULL after a refusal. */
Domain *domain_open(Check *check, const Certificate *certificate);

/* The labels of an input's positions, LABEL_NONE where there is no instance.  False after a
 * refusal. */
bool domain_labels(Domain *domain, const uint32_t *tokens, size_t length, uint32_t *labels);

/* The value behind a label. */
RaspAtom domain_label(const Domain *domain, uint32_t label);
/* The label of a value. */
uint32_t domain_number(Domain *domain, RaspAtom value);

/* Looks the labels of the certificate's instances up and compares them with what it says. */
bool domain_check(Domain *domain, Certificate *certificate);

/* Visits every input that has an instance; *total counts the instances.  A visit's false ends
 * it. */
typedef bool DomainVisit(void *context, const uint32_t *tokens, size_t length,
                         const uint32_t *labels);
bool domain_each(Domain *domain, DomainVisit *visit, void *context, size_t *total);

/* The tokens of an input for a message, cut to fit. */
const char *domain_show(const Domain *domain, const uint32_t *tokens, size_t length,
                        char text[120]);

/* Loads a program that a certificate embeds and the s-op of it. */
bool domain_program(Check *check, const json_t *object, const char *what, RaspProgram **program,
                    RaspSop *sop);
/* Runs s-ops on an input, naively.  NULL: fails; *failed tells a failure of the program from one
 * that ends the check, after a refusal. */
const RaspSequence *domain_run(Check *check, RaspProgram *program, const RaspSop *sop,
                               const RaspAtom *tokens, size_t length, bool *failed);

#endif
