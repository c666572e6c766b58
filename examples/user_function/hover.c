/* SPDX-License-Identifier: Apache-2.0
 *
 *   cc -shared -fPIC -I include -o libhover.so examples/user_function/hover.c -lm
 *   build/pegrasp run examples/user_function/block.json --h 0.01 --user-function ./libhover.so
 *
 * Pushes a body that nothing else holds, of 1 kg, up to 1 m and keeps it there: the PD law 25 e - 10 v on top of its
 * weight, which is critically damped. Prints how far the height was from that law's solution at most. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pegrasp/user_function.h"

static const double mass = 1.0, g = 9.81, wanted = 1.0; /* [kg], [m/s^2], [m] */
static const double stiff = 25.0, damped = 10.0;        /* [N/m], [N s/m] */

struct memory {
  int body;
  double begin;   /* height at the start [m] */
  double largest; /* distance from the solution [m] */
};

static int body_named(const struct pegrasp_user_step* step, const char* name) {
  int b;
  for (b = 0; b < step->body_count; ++b) {
    if (strcmp(step->body_name[b], name) == 0) return b;
  }
  return -1;
}

int pegrasp_user_function(struct pegrasp_user_step* step) {
  struct memory* own = (struct memory*)*step->user_data;
  double z, v, ahead, error;
  if (step->version < 2) return 1; /* without step->wrench */
  if (own == NULL) {
    own = (struct memory*)calloc(1, sizeof *own);
    if (own == NULL) return 2;
    *step->user_data = own;
    own->body = body_named(step, "block");
    if (own->body < 0) return 3;
    own->begin = step->pose[7 * own->body + 2];
  }
  z = step->pose[7 * own->body + 2];
  v = step->velocity[6 * own->body + 2];
  /* w = 5/s twice: e = e0 (1 + w t) exp(-w t) */
  error = (wanted - own->begin) * (1.0 + 5.0 * step->time) * exp(-5.0 * step->time);
  if (fabs(wanted - error - z) > own->largest) own->largest = fabs(wanted - error - z);
  if (step->step < 0) {
    fprintf(stderr, "at %.6f m after %.1f s, never farther than %.2e m from the law's solution\n", z, step->time,
            own->largest);
    free(own);
    return 0;
  }
  /* The force is constant in the step. So the law is asked for its middle, half a step ahead: z + v ahead, and the
   * velocity v + ahead a that the force itself leads to, where m a = stiff (wanted - z - v ahead) - damped (v + ahead
   * a). Asked for where the step begins, it would be late by half a step. */
  ahead = 0.5 * step->h;
  step->wrench[6 * own->body + 2] =
      mass * g + (stiff * (wanted - z - v * ahead) - damped * v) / (1.0 + ahead * damped / mass);
  return 0;
}
